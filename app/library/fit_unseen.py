"""Shapes of models whose files are not here, or not yet: good enough to say whether they fit.

A model's cells depend on its architecture alone, so one header speaks for all quantisations (`scaled`). Before any
header is known a rule stands in (`rough_shape`): 112 KiB a token and 3 KiB more for each billion of parameters, with a
cache of f16. It holds within a third for the models that people run today whose every layer attends (Llama 3, Qwen 2.5
and 3, Mistral, Phi), and says too much for those with windows and recurrent layers; the error is a small part of the
whole beside the weights.
"""

from dataclasses import replace

from app.core.fit_shape import FitShape, LayerShape

_KIB = 1 << 10
_BYTES_PER_PARAMETER = 0.6
"""Of files with about four bits, scales and the larger types of some tensors included."""
_CELL, _CELL_PER_BILLION = 112 * _KIB, 3 * _KIB
_HALF = 2
_LAYERS, _N_EMBD, _N_VOCAB, _HEAD = 32, 4096, 152_000, 128
_N_CTX = 131_072


def rough_shape(size: int, n_params: int = 0, n_ctx_train: int = 0, n_layer: int = 0) -> FitShape:
    """By the rule. `size` is the files', in bytes; 0 stands for what is not known."""
    n_layer = n_layer or _LAYERS
    billions = (n_params or size / _BYTES_PER_PARAMETER) / 1e9
    elements = round((_CELL + _CELL_PER_BILLION * billions) / _HALF / 2 / n_layer)
    layer = LayerShape(weights=size // n_layer, k=elements, v=elements, n=n_layer)
    return FitShape(
        "", (layer,), n_ctx_train=n_ctx_train or _N_CTX, n_embd=_N_EMBD, n_vocab=_N_VOCAB, n_head=_N_EMBD // _HEAD,
        head_k=_HEAD, n_ff=4 * _N_EMBD, exact=False,
    )  # fmt: skip


def scaled(shape: FitShape, size: int) -> FitShape:
    """The same model in another quantisation whose files have `size` bytes."""
    by = size / shape.weights if shape.weights else 1.0
    return replace(
        shape,
        layers=tuple(replace(layer, weights=round(layer.weights * by)) for layer in shape.layers),
        input_weights=round(shape.input_weights * by),
        output_weights=round(shape.output_weights * by),
    )
