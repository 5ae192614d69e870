import type { ReactNode } from 'react'
import styles from './page.module.css'

export interface PageColumnProps {
  title: string
  lead?: ReactNode
  /** `wide` extends to the right edge of the window. */
  width?: 'column' | 'wide'
  children: ReactNode
}

/** A page with a heading, an optional introduction, and its content. */
export function PageColumn({ title, lead, width = 'column', children }: PageColumnProps) {
  return (
    <div className={width === 'wide' ? `${styles.page} ${styles.wide}` : styles.page}>
      <header className={styles.head}>
        <h1 tabIndex={-1} className={styles.title}>
          {title}
        </h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </header>
      {children}
    </div>
  )
}
