/** The values that a tool needs in order to use this site. */
export interface SetUpInput {
  /** `https://shop.example`, without a path. */
  site: string
  /** An API key, or its placeholder. */
  secret: string
  modelId: string
  /** In tokens; null if it is not known. */
  contextLength: number | null
}

/** How one tool or library is set up. */
export interface ToolSetUp {
  id: string
  name: string
  /** The text to copy. */
  text(input: SetUpInput): string
}

/** The text as a double-quoted string, which all languages of these texts read in the same way. */
export function json(text: string): string {
  return JSON.stringify(text)
}

/** The text as a single word of a shell. Names of models come from other hosts, and may contain anything. */
export function shell(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
