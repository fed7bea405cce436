"""The compiling half of the template engine: what a template's source says becomes trusted text.

Jinja compiles a template to Python. Here the texts in that code are references to a table of trusted
`MarkedText`, everything that joins text goes through the environment, and each round of a loop is counted.
"""

from collections.abc import Iterable
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.engine.template.marked_text import TRUSTED, MarkedText


class MarkingCodeGenerator(CodeGenerator):
    """Relies on an environment that has `literals`, `tick`, `text` and `sliced` (see `MarkingEnvironment`)."""

    environment: "MarkingEnvironment"

    def write_commons(self) -> None:
        super().write_commons()
        for name in ("literals", "tick", "text"):
            self.writeline(f"{name} = environment.{name}")

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        if frame.loop_frame:
            self.writeline("tick()")

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        if isinstance(node.value, str):
            self.write(self._literal(node.value))
        else:
            super().visit_Const(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("concat((")
        for part in node.nodes:
            self.write("text(")
            self.visit(part, frame)
            self.write("), ")
        self.write("))")

    def _output_const_repr(self, group: Iterable[Any]) -> str:
        return self._literal("".join(group))

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> str:
        # Nothing is computed while compiling, where no limit holds; what is computed is not a literal either.
        if not isinstance(node, (nodes.TemplateData, nodes.Const)):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        self.write("text(")

    def _literal(self, text: str) -> str:
        return f"literals[{self.environment.literal(text)}]"

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if isinstance(node.arg, nodes.Slice):
            self._write_slice(node.node, node.arg, frame)
        elif isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
            # A key is never printed, and a dictionary finds a plain one faster.
            self.write("environment.getitem(")
            self.visit(node.node, frame)
            self.write(f", {node.arg.value!r})")
        else:
            super().visit_Getitem(node, frame)

    def _write_slice(self, target: nodes.Expr, cut: nodes.Slice, frame: Frame) -> None:
        self.write("environment.sliced(")
        self.visit(target, frame)
        for bound in (cut.start, cut.stop, cut.step):
            self.write(", ")
            if bound is None:
                self.write("None")
            else:
                self.visit(bound, frame)
        self.write(")")

    # What chat templates have no use for

    def visit_Include(self, node: nodes.Include, frame: Frame) -> None:
        self._refuse("include", node)

    def visit_Import(self, node: nodes.Import, frame: Frame) -> None:
        self._refuse("import", node)

    def visit_FromImport(self, node: nodes.FromImport, frame: Frame) -> None:
        self._refuse("import", node)

    def visit_Extends(self, node: nodes.Extends, frame: Frame) -> None:
        self._refuse("extends", node)

    def visit_ScopedEvalContextModifier(self, node: nodes.ScopedEvalContextModifier, frame: Frame) -> None:
        self._refuse("autoescape", node)

    def _refuse(self, tag: str, node: nodes.Node) -> None:
        self.fail(f"the tag {tag!r} cannot be used in a chat template", node.lineno)


class MarkingEnvironment(ImmutableSandboxedEnvironment):
    """Compiles one template, and holds its texts."""

    code_generator_class = MarkingCodeGenerator

    def __init__(self, **options: Any) -> None:
        # Unoptimized, because the optimizer would compute what the template can be made to compute at leisure.
        super().__init__(optimized=False, **options)
        self.literals: list[MarkedText] = []
        self._index: dict[str, int] = {}

    def literal(self, text: str) -> int:
        """Where in `literals` the trusted `text` is."""
        if text not in self._index:
            self._index[text] = len(self.literals)
            self.literals.append(MarkedText(text, TRUSTED))
        return self._index[text]
