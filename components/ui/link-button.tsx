import type { ComponentPropsWithRef, ElementType } from 'react'
import { type ButtonSize, type ButtonVariant, buttonClass } from './button-class'

interface LinkButtonProps extends ComponentPropsWithRef<'a'> {
  href: string
  variant?: ButtonVariant
  size?: ButtonSize
  /** The `Link` of `lib/i18n/navigation` for pages of this app; a plain anchor for anything else. */
  component?: ElementType
}

/** A link that looks like a button, for the main step that a page leads to. */
export function LinkButton({
  variant,
  size,
  component: Component = 'a',
  className,
  ...rest
}: LinkButtonProps) {
  return <Component {...rest} className={buttonClass(variant, size, className)} />
}
