# One file's report as lines: a word that says what it is about, then its facts.
(.files[] |
  "file \(.parsed) \($path)",
  (.kernels[] | "kernel \(.outcome) \($path):\(.line) \(.name) \(.codes | join(","))"),
  (.launches[] | "launch \(.resolved) \($path):\(.line) \(.kernel) : \(.reason // "")")),
(.diagnostics[] | select(.code) |
  "code \(.severity) \(.code) \($path):\(.line) \(.message | gsub("\n"; " "))")
