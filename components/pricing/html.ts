/** Markup that is safe to show: nothing in it is a text that has not been escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | readonly Html[]

/** Markup with values in it. What is not markup itself is text, between tags as in quoted attributes. */
export function html(markup: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: markup }, ...values.map(toMarkup)))
}

function toMarkup(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return String(value).replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
