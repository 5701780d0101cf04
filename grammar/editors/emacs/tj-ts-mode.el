;;; tj-ts-mode.el --- Tree-sitter mode for trainc programs -*- lexical-binding: t; -*-

;; Version: 1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: languages

;;; Commentary:

;; tj-mode with colors, an outline and motion from the syntax tree.  Indentation, comments and eglot are tj-mode's.
;; M-x treesit-install-language-grammar RET tj compiles the grammar of the clone that this file is in.  Without
;; the grammar, the colors are tj-mode's, too.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'tj-mode)
(require 'treesit)

(let ((clone (expand-file-name "../../.." (file-name-directory (or load-file-name buffer-file-name default-directory)))))
  (when (file-exists-p (expand-file-name "grammar/editors/tree-sitter/src/parser.c" clone))
    (add-to-list 'treesit-language-source-alist (list 'tj clone nil "grammar/editors/tree-sitter/src"))))

(defconst tj-ts--declarations (seq-difference '("import" "as" "param" "let" "fn" "type" "project" "policy" "framework" "accelerator" "job" "profile" "test") '("import" "as"))
  "Words that begin a declaration with a name.")
;; The expressions in queries must not depend on the syntax of characters, as \_< does. Emacs 30 marks strings to find the
;; syntax, parses the text again for that, and crashes: the query still reads the old tree, which has been freed.
(defun tj-ts--words (words) "What matches one of WORDS." (concat "\\`" (regexp-opt words) "\\'"))
(defconst tj-ts--functions (tj-ts--words '("len" "range" "sum" "product" "min" "max" "sorted" "unique" "flatten" "find" "abs" "ceil_div" "round" "float" "int" "str" "join" "split" "lines" "replace" "trim" "pad" "cut" "lower" "upper" "starts_with" "ends_with" "matches" "commands" "options" "keys" "values" "has" "json" "sha256" "bytes" "seconds" "millis" "has_digest" "tag" "pvc" "scratch" "own_claim" "secret_files" "config_files" "host_path" "nfs" "csi" "generated" "secret" "config" "config_env" "secret_env" "done" "ready" "started" "tcp" "http" "exec" "near" "prefer" "pack" "env" "object" "fails")))
(defconst tj-ts--types (tj-ts--words '("bool" "int" "float" "string" "cpu" "memory" "duration" "topology" "range" "elastic" "image" "name" "path" "port" "accelerator" "volume" "condition" "role" "data" "enum" "list" "map" "pod" "secret" "Role" "Sidecar")))
(defconst tj-ts--values (tj-ts--words '("self" "cluster" "pod")))

;; ---- colors ----

(defun tj-ts--after (node regexp)
  "Whether what is before NODE in its line ends with REGEXP.
Patterns about neighbors would search the whole file for each edit."
  (save-excursion
    (goto-char (treesit-node-start node))
    (skip-chars-backward " \t")
    (looking-back regexp (line-beginning-position))))
(defun tj-ts--after-word (node words)
  "Whether one of WORDS, an expression, is before NODE."
  (tj-ts--after node (concat "\\(?:^\\|[^A-Za-z0-9_]\\)\\(?:" words "\\)")))

(defun tj-ts--names-function (node) "Whether NODE is the name of a function." (tj-ts--after-word node "fn\\|framework\\|accelerator"))
(defun tj-ts--names-value (node) "Whether NODE is the name of a value." (tj-ts--after-word node "param\\|let"))
(defun tj-ts--names-type (node) "Whether NODE is the name of a type." (tj-ts--after-word node "type"))
(defun tj-ts--type (node) "Whether NODE is where a type is." (tj-ts--after node ":\\|->"))
(defun tj-ts--called (node) "Whether NODE is called."
  (save-excursion (goto-char (treesit-node-end node)) (looking-at-p "[ \t]*(")))

(defun tj-ts--font-lock ()
  "The faces of the nodes; of two rules about one node the first decides."
  (treesit-font-lock-rules
   :language 'tj :feature 'comment '((comment) @font-lock-comment-face)
   :language 'tj :feature 'keyword '([(keyword) (block_word) (type_word)] @font-lock-keyword-face)
   :language 'tj :feature 'constant '((constant) @font-lock-constant-face)
   :language 'tj :feature 'number '((number) @font-lock-number-face)
   :language 'tj :feature 'string '([(text) (raw)] @font-lock-string-face (string ["\"" "\"\"\""] @font-lock-string-face))
   :language 'tj :feature 'escape-sequence '((escape) @font-lock-escape-face)
   :language 'tj :feature 'interpolation '((interpolation ["${" "}"] @font-lock-misc-punctuation-face))
   :language 'tj :feature 'definition
   '((block_item name: (_) @font-lock-function-name-face)
     ((identifier) @font-lock-function-name-face (:pred tj-ts--names-function @font-lock-function-name-face))
     ((key) @font-lock-variable-name-face (:pred tj-ts--names-value @font-lock-variable-name-face))
     ((key) @font-lock-type-face (:pred tj-ts--names-type @font-lock-type-face)))
   :language 'tj :feature 'type
   `(([(identifier) (key)] @font-lock-type-face
      (:match ,tj-ts--types @font-lock-type-face) (:pred tj-ts--type @font-lock-type-face)))
   :language 'tj :feature 'property '((key) @font-lock-property-name-face (member_name) @font-lock-property-use-face)
   :language 'tj :feature 'builtin
   `(((identifier) @font-lock-builtin-face
      (:match ,tj-ts--functions @font-lock-builtin-face) (:pred tj-ts--called @font-lock-builtin-face))
     ((identifier) @font-lock-builtin-face (:match ,tj-ts--values @font-lock-builtin-face)))
   :language 'tj :feature 'operator '((operator) @font-lock-operator-face)
   :language 'tj :feature 'bracket
   '((block ["{" "}"] @font-lock-bracket-face) (list ["[" "]"] @font-lock-bracket-face) (group ["(" ")"] @font-lock-bracket-face))
   :language 'tj :feature 'delimiter '(["," ":" "."] @font-lock-delimiter-face)))

(defconst tj-ts--features
  '((comment definition) (keyword string type) (builtin constant escape-sequence interpolation number property)
    (bracket delimiter operator)))

;; ---- outline and motion ----

(defun tj-ts--declares (node words)
  "Whether NODE is the word of a declaration of the file, one of WORDS."
  (and (equal (treesit-node-type node) "keyword")
       (equal (treesit-node-type (treesit-node-parent node)) "source_file")
       (member (treesit-node-text node t) words)))

(defun tj-ts--name (node)
  "The name of what NODE begins, which is a block or the word of a declaration."
  (let ((next (or (treesit-node-child-by-field-name node "name") (treesit-node-next-sibling node t))))
    (pcase (treesit-node-type next)
      ("pair" (treesit-node-text (treesit-node-child-by-field-name next "key") t))
      ("string" (string-trim (treesit-node-text next t) "r?\"+" "\"+"))
      ("identifier" (treesit-node-text next t))
      (_ (treesit-node-text node t)))))

(defun tj-ts--imenu ()
  "One list of names for each word of declarations, and one for blocks."
  (append (mapcar (lambda (word)
                    (list (capitalize word) "\\`keyword\\'" (lambda (node) (tj-ts--declares node (list word))) #'tj-ts--name))
                  tj-ts--declarations)
          (list (list "Block" "\\`block_item\\'" nil #'tj-ts--name))))

(defun tj-ts--starts ()
  "Where the declarations of the file begin."
  (let ((words (cons "for" tj-ts--declarations)))
    (seq-filter (lambda (at) (save-excursion (goto-char at) (skip-chars-backward " \t") (bolp)))
                (mapcar #'treesit-node-start
                        (treesit-filter-child (treesit-buffer-root-node 'tj) (lambda (node) (tj-ts--declares node words)) t)))))

(defun tj-ts-beginning-of-defun (&optional arg)
  "Move to the beginning of the ARGth declaration before point.
Where ARG is negative, of one behind point."
  (let* ((n (or arg 1))
         (found (if (> n 0)
                    (nth (1- n) (nreverse (seq-filter (lambda (at) (< at (point))) (tj-ts--starts))))
                  (nth (- (1+ n)) (seq-filter (lambda (at) (> at (point))) (tj-ts--starts))))))
    (goto-char (or found (if (> n 0) (point-min) (point-max))))
    (and found t)))

(defun tj-ts-end-of-defun ()
  "Move from the beginning of a declaration to its end.
Comments before the next declaration belong to that one."
  (goto-char (or (seq-find (lambda (at) (> at (point))) (tj-ts--starts)) (point-max)))
  (forward-comment (- (buffer-size))))

;;;###autoload
(define-derived-mode tj-ts-mode tj-mode "tj"
  "Major mode for trainc programs, with the syntax tree of tree-sitter."
  (when (treesit-ready-p 'tj)
    (treesit-parser-create 'tj)
    (setq-local treesit-font-lock-settings (tj-ts--font-lock))
    (setq-local treesit-font-lock-feature-list tj-ts--features)
    (setq-local treesit-simple-imenu-settings (tj-ts--imenu))
    (setq-local beginning-of-defun-function #'tj-ts-beginning-of-defun)
    (setq-local end-of-defun-function #'tj-ts-end-of-defun)
    (treesit-major-mode-setup)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.tj\\'" . tj-ts-mode))

(provide 'tj-ts-mode)
;;; tj-ts-mode.el ends here
