import { Download, FileText } from 'lucide'
import { useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { saveFile } from '@/components/ui/save-file'
import { safeDocumentName } from '@/lib/documents/domain/document-name'
import { readDocumentFile } from '@/lib/local/documents/documents'
import type { DocumentPart } from '@/lib/local/domain/conversation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import styles from './attached.module.css'

/**
 * A document in a sent message. A click downloads it: opened in our own origin, its content could read the credit. A
 * document on the web is named but never fetched.
 */
export function SentDocument({ document }: { document: DocumentPart['document_url'] }) {
  const t = useTranslations('chat')
  const name = document.name ? safeDocumentName(document.name) : t('document')
  const save = async () => {
    const file = await readDocumentFile(document.url)
    if (file) saveFile(file, name)
    else noticeStore.show('warning', t('documentGone', { name }))
  }
  if (/^https?:/i.test(document.url)) {
    return (
      <span className={styles.sent}>
        <Icon icon={FileText} size={18} />
        <bdi className={styles.name}>{name}</bdi>
      </span>
    )
  }
  return (
    <button
      type="button"
      className={styles.sent}
      data-printed
      aria-label={t('saveDocument', { name })}
      title={t('saveDocument', { name })}
      onClick={() => void save()}
    >
      <Icon icon={FileText} size={18} />
      <bdi className={styles.name}>{name}</bdi>
      <Icon icon={Download} size={16} />
    </button>
  )
}
