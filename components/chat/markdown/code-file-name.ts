import { safeDocumentName } from '@/lib/documents/domain/document-name'

/** Extensions of languages whose name in a fence is not their extension. */
const ENDINGS: Readonly<Record<string, string>> = {
  bash: 'sh',
  'c#': 'cs',
  'c++': 'cpp',
  csharp: 'cs',
  golang: 'go',
  javascript: 'js',
  kotlin: 'kt',
  latex: 'tex',
  markdown: 'md',
  mermaid: 'mmd',
  'objective-c': 'm',
  perl: 'pl',
  plaintext: 'txt',
  powershell: 'ps1',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  shell: 'sh',
  text: 'txt',
  typescript: 'ts',
  yml: 'yaml',
}
/** Languages whose files have a fixed name. */
const NAMES: Readonly<Record<string, string>> = { dockerfile: 'Dockerfile', makefile: 'Makefile' }
const ENDING_LENGTH_MAX = 8
/** `ts title="coins.ts"`, `ts:src/coins.ts`, `ts coins.ts`: the ways in which models name a file. */
const NAMED = /(?:^[^\s:]*:|\s(?:title|file|filename)=["']?|\s)([^\s"'=]+\.[A-Za-z0-9]{1,8})["']?/

/** The file name for a code block: the one in its fence, else one by its language. */
export function codeFileName(info: string): string {
  const named = NAMED.exec(info)?.[1]?.split(/[\\/]/).at(-1)
  if (named) return safeDocumentName(named)
  const language = (info.trim().split(/[\s:]/, 1)[0] ?? '').toLowerCase()
  const ownName = Object.hasOwn(NAMES, language) ? NAMES[language] : undefined
  if (ownName) return ownName
  const ending = Object.hasOwn(ENDINGS, language) ? ENDINGS[language] : language
  const isEnding = ending !== undefined && /^[a-z0-9]+$/.test(ending) && ending.length <= ENDING_LENGTH_MAX
  return `code.${isEnding ? ending : 'txt'}`
}
