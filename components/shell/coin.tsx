import styles from './coin.module.css'

/** The mark: a copper coin with the two of "tuppence" struck as two bars. */
export function Coin() {
  return (
    <svg className={styles.coin} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" fill="currentColor" />
      <circle cx="12" cy="12" r="8.25" fill="none" className={styles.rim} />
      <path d="M9.75 8.5v7M14.25 8.5v7" className={styles.bars} />
    </svg>
  )
}
