# Included by CMake right after llama-cpp-python's own project(). Upstream forces llama.cpp's `common` library on
# in the cache; Hearth never loads it, and it is a third of the compile time. A normal variable hides the cached one.
set(LLAMA_BUILD_COMMON OFF)
