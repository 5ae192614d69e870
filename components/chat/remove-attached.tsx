import { X } from 'lucide'
import { focusAfterRender, focusMessageBox, focusOtherItem, MESSAGE_BOX_ID } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'

interface RemoveAttachedProps {
  label: string
  onRemove: () => void
}

/** Removes an attachment of a draft, or a file that is still being read for one. */
export function RemoveAttached({ label, onRemove }: RemoveAttachedProps) {
  return (
    <IconButton
      ref={keepFocus}
      size="small"
      label={label}
      icon={<Icon icon={X} size={16} />}
      onClick={event => {
        if (!focusOtherItem(event.currentTarget)) focusMessageBox()
        onRemove()
      }}
    />
  )
}

/** Once a file has been read, another item takes its place, whose button has the same name. */
function keepFocus(button: HTMLButtonElement): () => void {
  return () => {
    if (document.activeElement !== button) return
    const label = JSON.stringify(button.getAttribute('aria-label'))
    focusAfterRender(`[aria-label=${label}]`, `#${MESSAGE_BOX_ID}`)
  }
}
