// The grammar of trainc for tree-sitter: brackets, declarations, blocks, keys and texts, and flat expressions
// between them, so that a broken file keeps its colors.
const DECLARATIONS = ["import", "as", "param", "let", "fn", "type", "project", "policy", "framework", "accelerator", "job", "profile", "test"];
const KEYWORDS = ["import", "as", "param", "let", "fn", "type", "project", "policy", "framework", "accelerator", "job", "profile", "test", "check", "warn", "if", "then", "else", "for", "in", "and", "or", "not"];
const CONSTANTS = ["true", "false", "none"];
const SOFT = ["import", "as", "param", "fn", "type", "framework", "accelerator", "job", "profile", "test", "policy", "project", "not", "true", "false", "none"];
const SOFT_BLOCKS = ["import", "as", "param", "fn", "type", "framework", "accelerator", "job", "profile", "test", "policy"];
const RESERVED = ["import", "as", "param", "let", "fn", "type", "project", "policy", "framework", "accelerator", "job", "profile", "test", "check", "warn", "if", "then", "else", "for", "in", "and", "or", "not", "true", "false", "none"];
const BLOCKS = ["role", "aux", "cell", "sidecar", "init", "raw", "object"];

module.exports = grammar({
  name: "tj",
  word: $ => $.identifier,
  extras: $ => [/\s/, $.comment],
  conflicts: $ => [[$.block_item, $._name]],
  rules: {
    source_file: $ => repeat($._element),
    _element: $ => choice(
      $.block_item, $.pair, $.member, $.block, $.list, $.group, $.string, $.number, $.constant, $._name, $.keyword, $.operator, ",", ":"),

    // role worker { }, raw job { }
    block_item: $ => prec.dynamic(2, seq(field("kind", alias(choice(...BLOCKS), $.block_word)), field("name", choice($.identifier, alias(choice("job", ...BLOCKS), $.identifier))),
      field("body", $.block))),
    // key = , key += , key : , key { }
    pair: $ => prec(1, choice(
      seq(field("key", alias(choice($.identifier, ...SOFT, ...BLOCKS), $.key)), choice(alias(choice("=", "+="), $.operator), ":")),
      prec(3, seq(field("key", alias(choice($.identifier, ...SOFT, ...BLOCKS), $.key)), ":", alias("accelerator", $.type_word))),
      seq(choice(":", alias("->", $.operator)), alias("accelerator", $.type_word)),
      seq(field("key", alias(choice($.identifier, ...SOFT_BLOCKS, ...BLOCKS), $.key)), field("body", $.block)))),
    member: $ => prec(2, seq(".", field("name", alias(choice($.identifier, ...RESERVED, ...BLOCKS), $.member_name)))),
    _name: $ => choice($.identifier, alias(choice(...BLOCKS), $.identifier)),
    keyword: $ => choice(...KEYWORDS),
    constant: $ => choice(...CONSTANTS),
    block: $ => seq("{", repeat($._element), "}"),
    list: $ => seq("[", repeat($._element), "]"),
    group: $ => seq("(", repeat($._element), ")"),
    operator: $ => choice("...", "..", "==", "!=", "<=", ">=", "->", "//", "??", "<", ">", "=", "+", "-", "*", "/", "%", "?"),

    number: $ => token(choice(/[0-9][0-9A-Za-z_]*(\.[0-9][0-9A-Za-z_]*)*/, /[0-9][0-9_]*(\.[0-9][0-9_]*)?[eE][+-][0-9][0-9A-Za-z_]*/)),
    identifier: $ => /[A-Za-z_][A-Za-z0-9_]*/,
    comment: $ => token(prec(-1, /#[^\n]*/)),

    string: $ => choice(
      alias(token(/r"[^"\n]*"/), $.raw),
      alias(token(/r"""([^"]|"[^"]|""[^"])*"""/), $.raw),
      seq('"', repeat(choice(alias($._text, $.text), $.escape, $.interpolation)), token.immediate('"')),
      seq('"""', repeat(choice(alias($._block_text, $.text), $.escape, $.interpolation)), token.immediate(prec(2, '"""')))),
    _text: $ => token.immediate(prec(1, /[^"\\$\n]+|\$/)),
    _block_text: $ => token.immediate(prec(1, /[^"\\$]+|\$|"|""/)),
    escape: $ => token.immediate(prec(1, /\\(u\{[0-9A-Fa-f]*\}|[^\n]|\n)/)),
    interpolation: $ => seq(token.immediate(prec(2, "${")), repeat($._element), "}"),
  },
});
