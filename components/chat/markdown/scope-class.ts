import styles from './code-block.module.css'

/** highlight.js names scopes `title.function.invoke`; the first word decides the colour. */
export function scopeClass(scope: string): string | undefined {
  switch (scope.split('.', 1)[0]) {
    case 'comment':
    case 'quote':
    case 'deletion':
      return styles.comment
    case 'keyword':
    case 'selector-tag':
    case 'tag':
    case 'meta':
      return styles.keyword
    case 'string':
    case 'regexp':
    case 'addition':
    case 'char':
      return styles.string
    case 'number':
    case 'literal':
    case 'symbol':
    case 'bullet':
      return styles.number
    case 'title':
    case 'name':
    case 'attr':
    case 'attribute':
    case 'property':
    case 'built_in':
    case 'type':
    case 'class':
    case 'section':
      return styles.name
    default:
      return undefined
  }
}
