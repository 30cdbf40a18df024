from ...core.kernel import kernel


@kernel
def determinize(state, viewer):
    state.rng = state.rng
