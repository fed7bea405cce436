"""Windows' own way to end what a program began: a job object. What is in one ends with the last handle to it, which
Windows closes however this program ends.

Written after Microsoft's documentation, and type-checked; it was never run.
"""

import ctypes
import sys

if sys.platform == "win32":
    from ctypes import wintypes

    _KILL_ON_JOB_CLOSE = 0x2000
    _EXTENDED_LIMITS = 9
    _ACCESS = 0x0101
    """To end the process, and to put it into a job."""
    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateJobObjectW.restype = wintypes.HANDLE
    _kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, wintypes.LPCWSTR)
    _kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
    _kernel.OpenProcess.restype = wintypes.HANDLE
    _kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
    _kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
    _kernel.CloseHandle.argtypes = (wintypes.HANDLE,)

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("per_process_time", ctypes.c_int64),
            ("per_job_time", ctypes.c_int64),
            ("flags", wintypes.DWORD),
            ("least_working_set", ctypes.c_size_t),
            ("most_working_set", ctypes.c_size_t),
            ("most_processes", wintypes.DWORD),
            ("affinity", ctypes.c_size_t),
            ("priority", wintypes.DWORD),
            ("scheduling", wintypes.DWORD),
        )

    class _Limits(ctypes.Structure):
        _fields_ = (("basic", _BasicLimits), ("io", ctypes.c_uint64 * 6), ("memory", ctypes.c_size_t * 4))

    class Job:
        """Of one process and all that it begins. Raises OSError where it can't be made, or the process is gone."""

        def __init__(self, pid: int) -> None:
            self._handle = _kernel.CreateJobObjectW(None, None)
            limits = _Limits(basic=_BasicLimits(flags=_KILL_ON_JOB_CLOSE))
            made = self._handle and _kernel.SetInformationJobObject(
                self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
            process = _kernel.OpenProcess(_ACCESS, False, pid) if made else None
            joined = process and _kernel.AssignProcessToJobObject(self._handle, process)
            error = ctypes.get_last_error()
            if process:
                _kernel.CloseHandle(process)
            if not joined:
                self.end()
                raise ctypes.WinError(error)

        def end(self) -> None:
            """End all that is left in it. May be called twice."""
            if self._handle:
                _kernel.CloseHandle(self._handle)
                self._handle = None
