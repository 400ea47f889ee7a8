// Of the host, but of the includer's types.
#include <vector>
inline real half(real x) { return x / 2; }
inline std::vector<real> some(real x) { return {x, half(x)}; }
struct Pair {
    real a, b;
    template <class T> void set(T x);
    real get() const;
};
template <class T> void Pair::set(T x) { a = x, b = half(x); }
inline real Pair::get() const { return a + b; }
extern int calls;
int later(real x);
