"""Models, contexts, prompts and what may be reused. Plain Python over llama.cpp; no Qt."""
