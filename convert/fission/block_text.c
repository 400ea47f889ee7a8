#include "convert/facts/undefined.h"
#include "convert/cuda/builtins.h"
#include "convert/fission/fission_internal.h"

#include <string.h>

/** The second form while it is written. */
typedef struct {
    rk_fission *f;
    rk_fission_plan *plan;
} writer;

static void insert(writer *w, size_t offset, int rank, const char *text)
{
    rk_edits_insert(&w->plan->edits, offset, rank, text);
}

static void replace(writer *w, size_t begin, size_t end, const char *text)
{
    rk_edits_add(&w->plan->edits, begin, end - begin, text);
}

static size_t token_end(const rk_fission *f, size_t i)
{
    return f->tokens->items[i].offset + f->tokens->items[i].length;
}

/** The newlines of tokens [first, last], so that lines stay where they are. */
static const char *newlines(const rk_fission *f, size_t first, size_t last)
{
    rk_str out = {.arena = f->arena};
    for (size_t i = f->tokens->items[first].offset; i < token_end(f, last); i++)
        if (f->tokens->text[i] == '\n')
            rk_str_add(&out, "\n");
    return rk_str_text(&out);
}

/* Types. */

/** The type as the program writes it, or what `auto` stands for. */
static const char *type_text(const rk_fission *f, const rk_kept_variable *v)
{
    const CXType type = clang_getCursorType(v->cursor);
    const char *text = rk_ast_text(clang_getTypeSpelling(type), f->arena);
    if (strstr(text, "auto") || strstr(text, "decltype"))
        return rk_ast_type_text(type, f->arena);
    const char *restricted = strstr(text, "__restrict"); /* which an rKernel is not */
    return restricted ? rk_arena_printf(f->arena, "%.*s%s", (int)(restricted - text), text,
                                        restricted + strcspn(restricted, " *&[("))
                      : text;
}

static CXType element_type(CXType type)
{
    CXType t = clang_getCanonicalType(type);
    for (CXType e = clang_getArrayElementType(t); e.kind != CXType_Invalid;
         e = clang_getArrayElementType(t))
        t = clang_getCanonicalType(e);
    return t;
}

static bool names_variable(const rk_fission *f, const char *text)
{
    const rk_tokens t = rk_lex(text, strlen(text), f->arena);
    for (size_t i = 0; i < t.count; i++)
        for (size_t k = 0; k < f->variables.count; k++)
            if (rk_token_is(&t, i, f->variables.items[k].name) &&
                (f->variables.items[k].parameter ||
                 f->variables.items[k].lives != RK_LIVES_UNIFORM))
                return true;
    return false;
}

/** Types that the text between the kernel's braces does not define, that have a name and no reference. */
static bool check_type(rk_fission *f, const rk_kept_variable *v)
{
    const CXType type = clang_getCursorType(v->cursor);
    const CXType element = element_type(type);
    const char *text = type_text(f, v);
    if (element.kind == CXType_LValueReference || element.kind == CXType_RValueReference)
        return rk_fission_refuse(f, v->cursor, "a reference lives across a barrier");
    if (v->parameter)
        return true;
    if (strstr(text, "auto") || strstr(text, "decltype") || strstr(text, "type-parameter") ||
        strstr(text, "(unnamed") || strstr(text, "(anonymous") || strstr(text, "(lambda") ||
        element.kind == CXType_VariableArray || names_variable(f, text))
        return rk_fission_refuse(f, v->cursor,
                                 "the type of a variable that lives across a barrier");
    return true;
}

/** "T, float4": what has to be copyable byte for byte, where that is to be asked. */
static const char *kept_types(const rk_fission *f)
{
    rk_str out = {.arena = f->arena};
    for (size_t i = 0; i < f->variables.count; i++) {
        const rk_kept_variable *v = &f->variables.items[i];
        const CXType element = element_type(clang_getCursorType(v->cursor));
        if (v->lives != RK_LIVES_KEPT || v->scalar ||
            (element.kind >= CXType_FirstBuiltin && element.kind <= CXType_LastBuiltin &&
             element.kind != CXType_Dependent) ||
            element.kind == CXType_Pointer || element.kind == CXType_Enum)
            continue;
        const char *text = type_text(f, v);
        const char *dims = strchr(text, '[');
        rk_str_addf(&out, "%s%s", out.length ? ", " : "",
                    v->parameter ? rk_arena_printf(f->arena, "decltype(%s)", v->name)
                    : dims       ? rk_arena_strndup(f->arena, text, (size_t)(dims - text))
                                 : text);
    }
    return rk_arena_strdup(f->arena, rk_str_text(&out));
}

/* Names. */

static const char *storage(const rk_fission *f, size_t variable)
{
    return rk_arena_printf(f->arena, "rk__all_%s_%zu", f->variables.items[variable].name, variable);
}

static size_t run_of(const rk_fission *f, const rk_kept_variable *v)
{
    return v->part == RK_NONE ? RK_NONE : f->parts.items[v->part].run;
}

/** Whether a variable that is kept is a copy in each loop, which the compiler sees through, and is put back. */
static bool is_copied(const rk_kept_variable *v)
{
    return v->lives == RK_LIVES_KEPT && v->scalar && !v->leaked;
}

/** Whether run `run` assigns to a variable. */
static bool is_assigned(const rk_fission *f, size_t variable, size_t run)
{
    for (size_t i = 0; i < f->uses.count; i++) {
        const rk_variable_use *use = &f->uses.items[i];
        if (use->variable == variable && use->how != RK_USED_READ && use->part != RK_NONE &&
            f->parts.items[use->part].run == run)
            return true;
    }
    return false;
}

/** The variables that a run needs from outside: those that it names, and those that these are made of. */
static bool *find_needed(const rk_fission *f, size_t run)
{
    bool *needed = RK_NEW_ARRAY(f->arena, bool, f->variables.count + 1);
    for (size_t i = 0; i < f->uses.count; i++) {
        const rk_variable_use *use = &f->uses.items[i];
        if (use->part != RK_NONE && f->parts.items[use->part].run == run)
            needed[use->variable] = true;
    }
    for (size_t i = f->variables.count; i-- > 0;) {
        const rk_kept_variable *v = &f->variables.items[i];
        if (!needed[i] || v->lives != RK_LIVES_AGAIN || run_of(f, v) == run)
            continue;
        for (size_t k = 0; k < f->uses.count; k++) {
            const size_t token = rk_tokens_at(f->tokens, f->uses.items[k].at);
            if (v->init <= token && token < v->init_end)
                needed[f->uses.items[k].variable] = true;
        }
    }
    for (size_t i = 0; i < f->variables.count; i++)
        if (f->variables.items[i].lives < RK_LIVES_AGAIN ||
            run_of(f, &f->variables.items[i]) == run)
            needed[i] = false;
    return needed;
}

/** Whether each name in the initialiser means the same wherever it is written again. */
static bool means_one_thing(const rk_fission *f, const rk_kept_variable *v)
{
    for (size_t i = v->init; i < v->init_end; i++)
        for (size_t k = 0; k < f->variables.count; k++) {
            if (!rk_token_is(f->tokens, i, f->variables.items[k].name) ||
                rk_token_is(f->tokens, i - 1, ".") || rk_token_is(f->tokens, i - 1, "->"))
                continue;
            bool meant = false;
            for (size_t u = 0; u < f->uses.count; u++)
                meant |= f->uses.items[u].variable == k &&
                         f->uses.items[u].at == f->tokens->items[i].offset;
            if (!meant)
                return false;
        }
    return true;
}

/** What a loop declares of outside must not hide, nor be declared by it again. */
static bool check_names(rk_fission *f, const bool *needed, size_t run)
{
    for (size_t i = 0; i < f->variables.count; i++) {
        const rk_kept_variable *v = &f->variables.items[i];
        if (!needed[i])
            continue;
        for (size_t k = 0; k < f->variables.count; k++)
            if (k != i && strcmp(f->variables.items[k].name, v->name) == 0 &&
                (needed[k] || run_of(f, &f->variables.items[k]) == run))
                return rk_fission_refuse(f, v->cursor, "two variables of one name");
        if (v->lives == RK_LIVES_AGAIN && !means_one_thing(f, v))
            return rk_fission_refuse(f, v->cursor, "two variables of one name");
    }
    return true;
}

/* The text. */

/** The initialiser without its comments; tokens that touch, as the two of `>>`, still do. */
static const char *init_text(const rk_fission *f, const rk_kept_variable *v)
{
    const rk_token *items = f->tokens->items;
    rk_str out = {.arena = f->arena};
    if (v->init == v->init_end)
        return "";
    const rk_range whole = {f->file, items[v->init].offset, token_end(f, v->init_end - 1)};
    for (size_t i = v->init; i < v->init_end; i++) {
        const bool apart =
            i > v->init && items[i - 1].offset + items[i - 1].length < items[i].offset;
        rk_undefined_text(f->unit, &out, &whole, items[i].offset, false);
        rk_str_addf(&out, "%s%s", apart ? " " : "", rk_token_text(f->tokens, i, f->arena));
        rk_undefined_text(f->unit, &out, &whole, token_end(f, i), true);
    }
    return rk_str_text(&out);
}

static void add_needed(const rk_fission *f, rk_str *out, const bool *needed)
{
    for (size_t i = 0; i < f->variables.count; i++) {
        const rk_kept_variable *v = &f->variables.items[i];
        if (!needed[i])
            continue;
        if (v->lives == RK_LIVES_KEPT) {
            rk_str_addf(out, " auto %s%s = %s[rk__t]; (void)%s;", is_copied(v) ? "" : "&", v->name,
                        storage(f, i), v->name);
            continue;
        }
        const bool braces =
            rk_token_is(f->tokens, v->init, "(") || rk_token_is(f->tokens, v->init, "{");
        const bool whole = braces && rk_token_is(f->tokens, v->init - 1, v->name);
        rk_str_addf(out, " rk__::same<%s> %s%s%s; (void)%s;", type_text(f, v), v->name,
                    whole ? "" : " = ", init_text(f, v), v->name);
    }
}

/** Puts the copies back that the run makes or changes. */
static void add_kept(const rk_fission *f, rk_str *out, size_t run)
{
    for (size_t i = 0; i < f->variables.count; i++) {
        const rk_kept_variable *v = &f->variables.items[i];
        const bool begins = run_of(f, v) == run &&
                            !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(v->cursor));
        if (is_copied(v) && (begins || is_assigned(f, i, run)))
            rk_str_addf(out, " %s.put(rk__t, %s);", storage(f, i), v->name);
    }
}

/** Opens run `run` before part `first`, and closes it after part `last`. */
static bool write_run(writer *w, size_t run, size_t first, size_t last)
{
    rk_fission *f = w->f;
    rk_str out = {.arena = f->arena};
    for (size_t i = 0; i < f->variables.count; i++) {
        const rk_kept_variable *v = &f->variables.items[i];
        if (v->lives != RK_LIVES_KEPT || v->parameter || run_of(f, v) != run)
            continue;
        if (!check_type(f, v))
            return false;
        rk_str_addf(&out, " rk__::kept<%s> %s(rk__block);", type_text(f, v), storage(f, i));
    }
    const bool *needed = find_needed(f, run);
    if (!check_names(f, needed, run))
        return false;
    bool returns = false;
    for (size_t i = first; i <= last; i++)
        returns |= f->parts.items[i].returns;
    rk_str_addf(
        &out,
        " { rk__block.%s([&](std::size_t rk__t, rk__thread &rk__ctx) RK__INLINED { (void)rk__t; "
        "(void)rk__ctx;",
        returns ? "each_or_leave" : "each");
    if (f->reads & RK_USE_THREAD_IDX)
        rk_str_add(&out, " const ::uint3 threadIdx = rk__ctx.thread_idx(); (void)threadIdx;");
    add_needed(f, &out, needed);
    size_t begin = f->parts.items[first].first; /* directives before it belong to it */
    while (f->tokens->items[begin - 1].kind == RK_TOKEN_DIRECTIVE)
        begin--;
    insert(w,
           begin == f->parts.items[first].first ? f->tokens->items[begin].offset
                                                : token_end(f, begin - 1),
           2, rk_str_text(&out));
    rk_str end = {.arena = f->arena};
    add_kept(f, &end, run);
    rk_str_add(&end, returns ? " }); if (rk__block.empty()) return; }" : " }); }");
    insert(w, token_end(f, f->parts.items[last].last), 1, rk_str_text(&end));
    return true;
}

static size_t count_returns(CXCursor cursor, rk_arena *arena)
{
    size_t count = clang_getCursorKind(cursor) == CXCursor_ReturnStmt;
    const rk_cursors all = rk_ast_children(cursor, arena);
    for (size_t i = 0; i < all.count; i++)
        count += count_returns(all.items[i], arena);
    return count;
}

/** A thread that returns is left out from then on. */
static bool write_returns(writer *w, const rk_part *part)
{
    rk_fission *f = w->f;
    size_t found = 0;
    for (size_t i = part->first; i <= part->last; i++) {
        if (!rk_token_is(f->tokens, i, "return"))
            continue;
        if (!rk_token_is(f->tokens, i + 1, ";"))
            return rk_fission_refuse(f, part->cursor, "it returns an expression");
        replace(w, f->tokens->items[i].offset, token_end(f, i + 1),
                "{ rk__block.left(rk__t); return; }");
        found++;
    }
    if (found != count_returns(part->cursor, f->arena))
        return rk_fission_refuse(f, part->cursor, "a macro returns");
    return true;
}

/** Variables that live on: declared under another name, and put where the thread's are. */
static bool write_declaration(writer *w, size_t index)
{
    rk_fission *f = w->f;
    const rk_part *part = &f->parts.items[index];
    for (size_t i = 0; i < f->variables.count; i++) {
        const rk_kept_variable *v = &f->variables.items[i];
        if (v->part == index && v->lives == RK_LIVES_AGAIN)
            insert(w, token_end(f, part->last), 0,
                   rk_arena_printf(f->arena, " (void)%s;", v->name));
        if (v->part != index || v->lives != RK_LIVES_KEPT || is_copied(v))
            continue;
        const char *as = rk_arena_printf(f->arena, "rk__new_%s", v->name);
        const size_t length = strlen(v->name);
        replace(w, v->at, v->at + length, as);
        for (size_t k = 0; k < f->uses.count; k++) {
            const rk_variable_use *use = &f->uses.items[k];
            if (use->variable != i || use->part != index)
                continue;
            if (strncmp(f->tokens->text + use->at, v->name, length) != 0)
                return rk_fission_refuse(f, v->cursor, "a declaration in a macro");
            replace(w, use->at, use->at + length, as);
        }
        const bool set = !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(v->cursor));
        insert(w, token_end(f, part->last), 0,
               set ? rk_arena_printf(f->arena, " auto &%s = %s.put(rk__t, %s); (void)%s;", v->name,
                                     storage(f, i), as, v->name)
                   : rk_arena_printf(f->arena, " (void)%s; auto &%s = %s[rk__t]; (void)%s;", as,
                                     v->name, storage(f, i), v->name));
    }
    return true;
}

static bool write_part(writer *w, size_t index)
{
    const rk_fission *f = w->f;
    const rk_part *part = &f->parts.items[index];
    if (part->kind == RK_PART_BARRIER)
        replace(w, f->tokens->items[part->first].offset, f->tokens->items[part->last].offset,
                newlines(f, part->first, part->last));
    else if (part->kind == RK_PART_GROUP)
        replace(w, f->tokens->items[part->first].offset, token_end(f, part->last),
                newlines(f, part->first, part->last));
    else if (part->kind == RK_PART_INSIDE)
        return write_declaration(w, index) && (!part->returns || write_returns(w, part));
    return true;
}

/** Parameters that the body changes are each thread's own. */
static bool write_parameters(writer *w)
{
    rk_fission *f = w->f;
    for (size_t i = 0; i < f->variables.count; i++) {
        const rk_kept_variable *v = &f->variables.items[i];
        if (!v->parameter || v->lives != RK_LIVES_KEPT)
            continue;
        if (!check_type(f, v))
            return false;
        insert(w, w->plan->begin, 1,
               rk_arena_printf(
                   f->arena,
                   " rk__::kept<decltype(%s)> %s(rk__block); rk__block.each([&](std::size_t "
                   "rk__t, rk__thread &) RK__INLINED { %s.put(rk__t, %s); });",
                   v->name, storage(f, i), storage(f, i), v->name));
    }
    return true;
}

static bool write_parts(writer *w)
{
    const rk_fission *f = w->f;
    for (size_t i = 0; i < f->parts.count;) {
        const size_t run = f->parts.items[i].run;
        size_t last = i;
        if (run != RK_NONE) {
            while (last + 1 < f->parts.count && f->parts.items[last + 1].run == run)
                last++;
            if (!write_run(w, run, i, last))
                return false;
        }
        for (; i <= last; i++)
            if (!write_part(w, i))
                return false;
    }
    return true;
}

bool rk_fission_write(rk_fission *f, rk_fission_plan *plan)
{
    writer w = {f, plan};
    plan->types = kept_types(f);
    return write_parameters(&w) && write_parts(&w);
}
