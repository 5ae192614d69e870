import type { ReactNode } from 'react'
import styles from './page.module.css'

export interface PageColumnProps {
  title: string
  lead?: ReactNode
  width?: 'page' | 'narrow'
  children: ReactNode
}

/** Heading, one sentence and room. */
export function PageColumn({ title, lead, width = 'page', children }: PageColumnProps) {
  return (
    <div className={width === 'narrow' ? `${styles.page} ${styles.narrow}` : styles.page}>
      <header className={styles.head}>
        <h1 className={styles.title}>{title}</h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </header>
      {children}
    </div>
  )
}
