// trainc for highlight.js 11: hljs.registerLanguage("tj", tj)
export default function tj(hljs) {
  const escape = { scope: "char.escape", match: /\\(?:u\{[0-9A-Fa-f]*\}|[^\n])/ };
  const braces = { begin: /\{/, end: /\}/ };
  const interpolation = { scope: "subst", begin: /\$\{/, end: /\}/ };
  const code = [
    { scope: "comment", match: /#[^\n]*/ },
    { scope: "string", begin: /(?<!\w)r"""/, end: /"""/ },
    { scope: "string", match: /(?<!\w)r"[^"\n]*(?:"|$)/ },
    { scope: "string", begin: /"""/, end: /"""/, contains: [escape, interpolation] },
    { scope: "string", begin: /"/, end: /"|(?=\n)|$/, contains: [escape, interpolation] },
    { scope: "number", match: /\b(?:[0-9][0-9_]*(?:\.[0-9][0-9_]*)?[eE][+-][0-9]\w*|[0-9]\w*(?:\.[0-9]\w*)*)/ },
    { scope: "operator", match: /\.\.\.?/ },
    { scope: "variable", match: /\.\s*[A-Za-z_]\w*/ },
    { match: [/:/, /\s*/, /accelerator\b/], scope: { 3: "keyword" } },
    { match: [/->/, /\s*/, /accelerator\b/], scope: { 1: "operator", 3: "keyword" } },
    { match: [/:/, /\s*/, /(?:bool|int|float|string|cpu|memory|duration|topology|range|elastic|image|name|path|port|accelerator|volume|condition|role|data|enum|list|map|pod|secret|Role|Sidecar)\b/], scope: { 3: "type" } },
    { match: [/->/, /\s*/, /(?:bool|int|float|string|cpu|memory|duration|topology|range|elastic|image|name|path|port|accelerator|volume|condition|role|data|enum|list|map|pod|secret|Role|Sidecar)\b/], scope: { 1: "operator", 3: "type" } },
    { scope: "keyword", match: /\b(?:role|aux|cell|sidecar|init|raw|object)\b(?=\s+[A-Za-z_]\w*\s*\{)/ },
    { scope: "attr", match: /\b(?:import|as|param|fn|type|framework|accelerator|job|profile|test|policy|project|not|true|false|none)\b(?=\s*(?:=(?!=)|\+=|:))/ },
    { scope: "attr", match: /\b(?:import|as|param|fn|type|framework|accelerator|job|profile|test|policy)\b(?=\s*\{)/ },
    { scope: "literal", match: /\b(?:true|false|none)\b/ },
    { scope: "keyword", match: /\b(?:import|as|param|let|fn|type|project|policy|framework|accelerator|job|profile|test|check|warn|if|then|else|for|in|and|or|not)\b/ },
    { scope: "attr", match: /\b[A-Za-z_]\w*(?=\s*(?:=(?!=)|\+=|:))/ },
    { scope: "attr", match: /\b[A-Za-z_]\w*(?=\s*\{)/ },
    { scope: "built_in", match: /\b(?:len|range|sum|product|min|max|sorted|unique|flatten|find|abs|ceil_div|round|float|int|str|join|split|lines|replace|trim|pad|cut|lower|upper|starts_with|ends_with|matches|commands|options|keys|values|has|json|sha256|bytes|seconds|millis|has_digest|tag|pvc|scratch|own_claim|secret_files|config_files|host_path|nfs|csi|generated|secret|config|config_env|secret_env|done|ready|started|tcp|http|exec|near|prefer|pack|env|object|fails)\b(?=\s*\()/ },
    { scope: "variable", match: /\b[A-Za-z_]\w*/ },
    { scope: "operator", match: /==|!=|<=|>=|\+=|->|\/\/|\?\?|\.\.\.?|[<>=+*\/%?-]/ },
    braces,
  ];
  braces.contains = code;
  interpolation.contains = code;
  return { name: "trainc", aliases: ["tj", "trainc"], contains: code };
}
