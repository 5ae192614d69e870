import { Paperclip } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect, useEffectEvent, useState } from 'react'
import { Icon } from '@/components/ui/icon'
import { FOLDER_TYPE } from '@/lib/documents/domain/document-kind'
import styles from './attached.module.css'

/** Accepts files anywhere on the page. Visible while files are dragged over it. */
export function DropZone({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const t = useTranslations('chat')
  const [isOver, setOver] = useState(false)
  const onOver = useEffectEvent((event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    // Even if nothing is accepted, since the browser would otherwise navigate to the file.
    event.preventDefault()
    setOver(true)
  })
  const onDrop = useEffectEvent((event: DragEvent) => {
    setOver(false)
    const files = [...(event.dataTransfer?.items ?? [])].flatMap(fileOf)
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  })
  useEffect(() => {
    const over = (event: DragEvent) => onOver(event)
    const drop = (event: DragEvent) => onDrop(event)
    // No related target: the drag has left the window.
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const listening = new AbortController()
    const { signal } = listening
    window.addEventListener('dragover', over, { signal })
    window.addEventListener('drop', drop, { signal })
    window.addEventListener('dragleave', leave, { signal })
    return () => listening.abort()
  }, [])
  if (!isOver) return null
  return (
    <div className={styles.dropZone}>
      <p>
        <Icon icon={Paperclip} size={20} />
        {t('dropFiles')}
      </p>
    </div>
  )
}

/** A folder becomes an empty file of its own type; by its size it would be reported as empty or damaged. */
function fileOf(item: DataTransferItem): File[] {
  const file = item.getAsFile()
  if (!file) return []
  return [item.webkitGetAsEntry()?.isDirectory ? new File([], file.name, { type: FOLDER_TYPE }) : file]
}
