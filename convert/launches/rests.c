#include "convert/launches/harvest.h"

#include <ctype.h>
#include <string.h>

/* What the configuration of a launch rests on. */

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text ? strstr(text, word) : NULL; at; at = strstr(at + 1, word)) {
        const bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

/** Whether a name is in the configuration, or in what the variables of loops around the launch are. */
static bool is_configured_by(const rk_launch *launch, const char *name)
{
    bool found = has_word(launch->shared, name);
    for (size_t i = 0; i < 3; i++)
        found |= has_word(launch->grid[i], name) || has_word(launch->block[i], name);
    for (size_t i = 0; i < launch->input_count; i++) {
        const rk_launch_input *in = &launch->inputs[i];
        if (in->first)
            found |=
                has_word(in->first, name) || has_word(in->again, name) || has_word(in->next, name);
    }
    return found;
}

const rk_launch_input *rk_harvest_rests_on(const rk_launch *launch, rk_input_kind kind)
{
    for (size_t i = 0; launch->resolved && i < launch->input_count; i++) {
        const rk_launch_input *in = &launch->inputs[i];
        if (in->kind == kind && is_configured_by(launch, in->name))
            return in;
    }
    return NULL;
}
