"""The only modules that speak to llama.cpp's C API: they own its memory and turn its codes into values."""

import sys
from types import ModuleType

# The binding imports a class of its own, which is not used here: with formats of chats and a cache on disk it takes a
# tenth of a second. This stands in for it.
sys.modules.setdefault("llama_cpp.llama", ModuleType("llama_cpp.llama"))
