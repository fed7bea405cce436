"""The only modules that speak to llama.cpp's C API: they own its memory and turn its codes into values."""
