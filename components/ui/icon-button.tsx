import type { ComponentPropsWithRef, ReactNode } from 'react'
import styles from './icon-button.module.css'

interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children' | 'aria-label'> {
  /** What the button does: its accessible name, and its tooltip unless there is more to say (`title`). */
  label: string
  /** An `Icon`. */
  icon: ReactNode
  size?: 'medium' | 'small'
}

export function IconButton({
  label,
  icon,
  size = 'medium',
  className,
  type = 'button',
  title,
  ...rest
}: IconButtonProps) {
  const classes = [styles.iconButton, size === 'small' && styles.small, className].filter(Boolean).join(' ')
  return (
    <button {...rest} type={type} className={classes} aria-label={label} title={title ?? label}>
      {icon}
    </button>
  )
}
