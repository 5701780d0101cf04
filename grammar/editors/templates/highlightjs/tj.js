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
    { scope: "number", match: /{{NUMBER:js}}/ },
    { scope: "operator", match: /\.\.\.?/ },
    { scope: "variable", match: /{{MEMBER:js}}/ },
    { match: [/:/, /\s*/, /accelerator\b/], scope: { 3: "keyword" } },
    { match: [/->/, /\s*/, /accelerator\b/], scope: { 1: "operator", 3: "keyword" } },
    { match: [/:/, /\s*/, /(?:{{TYPES:alt}})\b/], scope: { 3: "type" } },
    { match: [/->/, /\s*/, /(?:{{TYPES:alt}})\b/], scope: { 1: "operator", 3: "type" } },
    { scope: "keyword", match: /{{BLOCK_WORD:js}}/ },
    { scope: "attr", match: /{{SOFT_KEY:js}}/ },
    { scope: "attr", match: /{{SOFT_BODY:js}}/ },
    { scope: "literal", match: /{{CONSTANT:js}}/ },
    { scope: "keyword", match: /{{KEYWORD:js}}/ },
    { scope: "attr", match: /{{KEY:js}}/ },
    { scope: "attr", match: /{{BODY_KEY:js}}/ },
    { scope: "built_in", match: /{{CALL:js}}/ },
    { scope: "variable", match: /\b{{NAME:js}}/ },
    { scope: "operator", match: /{{OPERATOR:js}}/ },
    braces,
  ];
  braces.contains = code;
  interpolation.contains = code;
  return { name: "trainc", aliases: ["tj", "trainc"], contains: code };
}
