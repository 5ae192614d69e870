import { LanguageLinks } from './language-links'
import styles from './page.module.css'
import { PageColumn, type PageColumnProps } from './page-column'

/** The layout of every page but the chat, with the language links at its end. */
export function PageFrame({ children, ...column }: PageColumnProps) {
  return (
    <PageColumn {...column}>
      {children}
      <footer className={styles.foot}>
        <LanguageLinks />
      </footer>
    </PageColumn>
  )
}
