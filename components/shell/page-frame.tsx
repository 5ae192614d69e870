import type { ReactNode } from 'react'
import { LanguageLinks } from './language-links'
import styles from './page.module.css'

interface PageFrameProps {
  title: string
  lead?: ReactNode
  width?: 'page' | 'narrow'
  children: ReactNode
}

/** Heading, one sentence and room: what every page but the chat stands in. */
export function PageFrame({ title, lead, width = 'page', children }: PageFrameProps) {
  return (
    <div className={width === 'narrow' ? `${styles.page} ${styles.narrow}` : styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>{title}</h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </header>
      {children}
      <LanguageLinks />
    </div>
  )
}
