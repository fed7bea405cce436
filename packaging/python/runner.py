"""What runs in the sandbox, by a Python that is compiled to WebAssembly: no files, no network, no other programs.

Only modules that are imported while the component is made are in it.
"""

# ruff: noqa: F401 - see above
import abc
import array
import ast
import base64
import binascii
import bisect
import calendar
import cmath
import collections
import colorsys
import contextlib
import copy
import csv
import dataclasses
import datetime
import decimal
import difflib
import enum
import fractions
import functools
import graphlib
import hashlib
import heapq
import hmac
import html
import html.parser
import importlib.resources
import io
import itertools
import json
import math
import numbers
import operator
import pprint
import random
import re
import secrets
import statistics
import string
import struct
import sys
import textwrap
import time
import traceback
import types
import typing
import unicodedata
import urllib.parse
import uuid
import xml.etree.ElementTree
import zlib

importlib.import_module("_strptime")
_MOST = 2_000_000
"""Characters that are kept of what is printed."""


class _Printed(io.StringIO):
    """A program that prints without end would take all memory."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _MOST - self.tell())])
        return len(text)


class WitWorld:
    def run(self, code: str) -> str:
        """What the code prints, the value of its last line where that is an expression, and its error's traceback."""
        printed = _Printed()
        sys.stdout = sys.stderr = printed
        try:
            _run(code)
        except SystemExit as ended:
            if ended.code not in (None, 0):
                print(ended.code)
        except BaseException:  # noqa: BLE001 - it is told
            printed.write(_told(*sys.exc_info()))
        return printed.getvalue()


def _run(code: str) -> None:
    tree = ast.parse(code, "<code>")
    names: dict[str, object] = {"__name__": "__main__"}
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<code>", "eval"), names)
        if value is not None:
            print(repr(value))


def _told(kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> str:
    """A traceback as of a script, without what is ours."""
    while trace is not None and trace.tb_frame.f_code.co_filename != "<code>":
        trace = trace.tb_next
    return "".join(traceback.format_exception(kind, error, trace, limit=10))
