import type { LanguageFn } from 'highlight.js'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { type CodeSpan, SpanEmitter } from './code-spans'

const LANGUAGES: Readonly<Record<string, LanguageFn>> = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  kotlin,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
}

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)
hljs.configure({ __emitter: SpanEmitter })

/**
 * A name of hundreds of letters, as much white space, or a hundred words with nothing between them: that is not code,
 * and some grammars take quadratic time for it. A block of `$` blocked the page for seven seconds as Java, one of
 * `public` for three as C#, a comment of spaces for one as XML.
 */
const ENDLESS = /[\p{L}\p{N}_$]{400}|\s{400}|\b(?:[\w$]+\s+){100}/u

/** Null for an unsupported language; aliases such as `ts` and `html` are supported. */
export function highlightCode(code: string, language: string): readonly CodeSpan[] | null {
  if (!hljs.getLanguage(language) || ENDLESS.test(code)) return null
  const { _emitter: emitter } = hljs.highlight(code, { language, ignoreIllegals: true })
  return emitter instanceof SpanEmitter ? emitter.spans : null
}
