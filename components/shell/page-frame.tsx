import { LanguageLinks } from './language-links'
import styles from './page.module.css'
import { PageColumn, type PageColumnProps } from './page-column'

/** What every page but the chat stands in, with the other languages at its end. */
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
