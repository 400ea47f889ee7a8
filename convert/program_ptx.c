#include "convert/program_internal.h"

#include <string.h>

static bool is_asm(const rk_tokens *tokens, size_t i)
{
    return rk_token_is(tokens, i, "asm") || rk_token_is(tokens, i, "__asm__") ||
           rk_token_is(tokens, i, "__asm");
}

/** Whether token `i` of the stretch is in a function for the device alone. */
static bool for_device(const rk_program *program, const rk_stretch *s, size_t i)
{
    for (size_t k = 0; k < program->functions.count; k++) {
        const rk_device_text *f = &program->functions.items[k];
        if (f->stretch == s && !f->host && f->body < i && i < f->body_end)
            return true;
    }
    return false;
}

static bool refuse(const rk_program *program, const rk_stretch *s, size_t i)
{
    return rk_diag_add(program->unit->diag, RK_ERROR, "RK-V131", rk_program_place(program, s, i),
                       "write it with CUDA's own functions, or leave it out where __CUDA_ARCH__ is "
                       "not defined",
                       "inline PTX does not run on a CPU");
}

bool rk_program_edit_assembly(rk_program *program)
{
    bool ok = true;
    for (size_t i = 0; i < program->stretches.count; i++) {
        const rk_stretch *s = program->stretches.items[i];
        for (size_t k = 0; k < s->tokens.count; k++)
            if (is_asm(&s->tokens, k) && for_device(program, s, k))
                ok = refuse(program, s, k);
    }
    return ok;
}
