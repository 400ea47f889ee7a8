#include "library/pipeline.h"
#include "sched/policies/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const rk_policy *find_policy(const char *name, rk_tool *tool)
{
    const rk_policy *policy = rk_policy_find(name);
    if (policy)
        return policy;
    const char **names = RK_NEW_ARRAY(tool->arena, const char *, rk_policy_count);
    for (size_t i = 0; i < rk_policy_count; i++)
        names[i] = rk_policies[i]->name;
    rk_tool_unknown(tool, "policy", name, names, rk_policy_count);
    return NULL;
}

static size_t count_options(const rk_policy *policy)
{
    size_t count = 0;
    while (policy->options && policy->options[count].name)
        count++;
    return count;
}

/** The option's place, or the policy's count of options with RK-U004. */
static size_t find_option(const rk_policy *policy, const char *name, rk_tool *tool)
{
    size_t count = count_options(policy);
    const char **names = RK_NEW_ARRAY(tool->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++) {
        names[i] = policy->options[i].name;
        if (strcmp(names[i], name) == 0)
            return i;
    }
    if (count == 0)
        rk_diag_add(tool->diag, RK_ERROR, "RK-U004", (rk_place){0}, NULL,
                    "the policy %s has no options, and so no '%s'", policy->name, name);
    else
        rk_tool_unknown(tool, rk_arena_printf(tool->arena, "option of policy %s", policy->name),
                        name, names, count);
    return count;
}

/** Sets the option that `text` gives, "name=n". */
static bool set_option(int64_t *options, const rk_policy *policy, const char *text, rk_tool *tool)
{
    size_t length = strcspn(text, "=");
    const char *name = rk_arena_strndup(tool->arena, text, length);
    size_t at = find_option(policy, name, tool);
    if (at == count_options(policy))
        return false;
    const rk_policy_option *option = &policy->options[at];
    const char *value = text[length] ? &text[length + 1] : "";
    char *end;
    errno = 0;
    options[at] = strtoll(value, &end, 10);
    if (end != value && *end == '\0' && errno == 0 && options[at] >= option->min &&
        options[at] <= option->max)
        return true;
    return rk_diag_add(tool->diag, RK_ERROR, "RK-U002", (rk_place){0}, option->meaning,
                       "--policy %s: %s takes a number from %lld to %lld, not '%s'", policy->name,
                       name, (long long)option->min, (long long)option->max, value);
}

const rk_policy *rk_plan_policy(const int64_t **options, const char *text, rk_tool *tool)
{
    size_t length = strcspn(text, ":");
    const rk_policy *policy = find_policy(rk_arena_strndup(tool->arena, text, length), tool);
    if (!policy)
        return NULL;
    int64_t *values = RK_NEW_ARRAY(tool->arena, int64_t, RK_POLICY_MAX_OPTIONS);
    rk_policy_defaults(values, policy);
    *options = values;
    bool good = true;
    char *left = rk_arena_strdup(tool->arena, text[length] ? &text[length + 1] : "");
    for (char *rest, *each = strtok_r(left, ",", &rest); each; each = strtok_r(NULL, ",", &rest))
        good = set_option(values, policy, each, tool) && good;
    return good ? policy : NULL;
}
