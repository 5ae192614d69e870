import { focusMessageBox } from '@/components/ui/focus'

/**
 * The button that removes an attachment disappears with it. The focus moves to that of the next attachment, or else of
 * the one before, or else to the message box.
 */
export function focusOtherAttachment(button: Element): void {
  const item = button.closest('li')
  const other = item?.nextElementSibling ?? item?.previousElementSibling
  const next = [...(other?.querySelectorAll('button') ?? [])].at(-1)
  if (next) next.focus()
  else focusMessageBox()
}
