#include "convert/rkernel/analysis.h"

#include "convert/facts/analyze.h"
#include "convert/launches/instances.h"
#include "convert/rkernel/decide.h"

void rk_analyze(rk_unit *unit)
{
    rk_analysis *analysis = rk_facts_find(unit);
    rk_instances_collect(analysis);
    rk_decide(unit);
    rk_instances_name(analysis); /* may refuse */
    rk_decide(unit);
    rk_instances_roles(analysis);
    rk_facts_recursion(analysis);
}
