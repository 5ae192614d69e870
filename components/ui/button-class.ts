import styles from './button.module.css'

export type ButtonVariant = 'primary' | 'quiet' | 'danger'
export type ButtonSize = 'medium' | 'small'

/** The looks of a button, for elements that are none: a link (link-button.tsx), a summary. */
export function buttonClass(
  variant: ButtonVariant = 'primary',
  size: ButtonSize = 'medium',
  className?: string,
): string {
  return [styles.button, styles[variant], size === 'small' && styles.small, className]
    .filter(Boolean)
    .join(' ')
}
