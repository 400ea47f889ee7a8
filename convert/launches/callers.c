#include "convert/launches/execute.h"
#include "convert/launches/harvest_unit.h"

#include <string.h>

/* Functions that launch what they are called with, followed to those that call them. */

/** Rounds from a wrapper to its callers, and from these to theirs. */
enum { MAX_ROUNDS = 8 };

typedef struct {
    const rk_hunit *h;
    bool found;
} call_search;

static enum CXChildVisitResult find_wrapper_call(CXCursor node, CXCursor parent, CXClientData data)
{
    (void)parent;
    call_search *search = data;
    const rk_hunit *h = search->h;
    CXCursor function = clang_getCursorReferenced(node);
    if (clang_getCursorKind(node) != CXCursor_CallExpr || clang_Cursor_isNull(function))
        return CXChildVisit_Recurse;
    search->found =
        rk_hunit_has_text(h->wrappers.items + h->old_wrappers, h->wrapper_end - h->old_wrappers,
                          rk_ast_text(clang_getCursorUSR(function), h->arena));
    return search->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/** Follows functions that launch what they are called with to those that call them, and these to theirs. */
static void follow_callers(rk_hunit *h)
{
    h->following = true;
    for (int round = 0; round < MAX_ROUNDS && h->old_wrappers < h->wrappers.count; round++) {
        h->wrapper_end = h->wrappers.count;
        for (size_t i = 0; i < h->functions.count; i++) {
            CXCursor function = h->functions.items[i], body;
            call_search search = {.h = h};
            clang_visitChildren(function, find_wrapper_call, &search);
            if (search.found && rk_hunit_body(&body, h->arena, function))
                rk_hunit_run(h, function, body, NULL);
        }
        h->old_wrappers = h->wrapper_end;
    }
}

/* Which calls of a function the unit shows. */

typedef struct {
    const rk_hunit *h;
    const char *usr;
    size_t named, called;
} use_search;

static enum CXChildVisitResult count_uses(CXCursor node, CXCursor parent, CXClientData data)
{
    (void)parent;
    use_search *search = data;
    const enum CXCursorKind kind = clang_getCursorKind(node);
    if (clang_isDeclaration(kind) &&
        clang_Location_isInSystemHeader(clang_getCursorLocation(node)) != 0)
        return CXChildVisit_Continue;
    if (kind != CXCursor_DeclRefExpr && kind != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    CXCursor function = clang_getCursorReferenced(node);
    if (clang_Cursor_isNull(function) ||
        strcmp(rk_ast_text(clang_getCursorUSR(function), search->h->arena), search->usr) != 0)
        return CXChildVisit_Recurse;
    *(kind == CXCursor_CallExpr ? &search->called : &search->named) += 1;
    return CXChildVisit_Recurse;
}

/** Whether nothing else can call the function: it is the unit's own, only ever called, and all calls were followed. */
static bool is_private(const rk_hunit *h, const rk_hopen *open)
{
    const enum CXLinkageKind linkage = clang_getCursorLinkage(open->function);
    use_search search = {.h = h, .usr = open->usr};
    if ((linkage != CXLinkage_Internal && linkage != CXLinkage_UniqueExternal) ||
        rk_hunit_has_text(h->recursive.items, h->recursive.count, open->usr))
        return false;
    clang_visitChildren(clang_getTranslationUnitCursor(h->tu), count_uses, &search);
    bool known;
    return search.named == search.called &&
           search.called == rk_hopen_followed_calls(h, open->usr, clang_getNullLocation(), &known);
}

static bool is_settled(const rk_harvested *item)
{
    return item->launch.resolved && !rk_harvest_rests_on(&item->launch, RK_INPUT_OPEN);
}

/**
 * Open launches give way to those that calls make of them. One that is resolved stays where it may be
 * called otherwise, and what a call makes of it is taken only if it is resolved, too.
 */
static void drop_followed(rk_hunit *h)
{
    bool *drop = RK_NEW_ARRAY(h->arena, bool, h->found.count + 1);
    size_t kept = 0;
    for (size_t i = 0; i < h->open.count; i++) {
        const rk_hopen *open = &h->open.items[i];
        const bool configuration = open->kind == RK_HOPEN_CONFIGURATION;
        bool any = false, all = true;
        for (size_t k = 0; k < h->closed.count; k++) {
            const rk_hclosed *closed = &h->closed.items[k];
            if (closed->open != i)
                continue;
            const bool resolved = is_settled(&h->found.items[closed->item]);
            any = true;
            all &= resolved;
            drop[closed->item] |= configuration && !resolved;
        }
        drop[open->item] |= any && (!configuration || (all && is_private(h, open)));
    }
    for (size_t i = 0; i < h->found.count; i++) {
        h->found.items[i].order = i;
        if (!drop[i])
            h->found.items[kept++] = h->found.items[i];
    }
    h->found.count = kept;
}

void rk_hopen_follow(rk_hunit *h)
{
    follow_callers(h);
    drop_followed(h);
}
