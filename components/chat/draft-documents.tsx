import { FileText } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { formatBytes } from '@/components/storage/format-bytes'
import { Checkbox } from '@/components/ui/checkbox'
import { Icon } from '@/components/ui/icon'
import { Status } from '@/components/ui/status'
import text from '@/components/ui/text.module.css'
import { canSendWhole, sentAs } from '@/lib/documents/domain/send-document'
import styles from './attached.module.css'
import { areFilesTooLarge, type DraftDocument } from './draft-document'
import { RemoveAttached } from './remove-attached'
import type { FileReading } from './use-attach-files'

interface DraftDocumentsProps {
  documents: readonly DraftDocument[]
  readings: readonly FileReading[]
  takesFiles: boolean
  onChange: (documents: readonly DraftDocument[]) => void
}

/** The documents of a draft: how each is sent, how much of it, and a button to remove it. */
export function DraftDocuments({ documents, readings, takesFiles, onChange }: DraftDocumentsProps) {
  const t = useTranslations('chat')
  const replace = (document: DraftDocument) =>
    onChange(documents.map(one => (one.url === document.url ? document : one)))
  return (
    <>
      <ul className={styles.drafts} aria-label={t('attachedDocuments')}>
        {documents.map(document => (
          <DraftItem
            key={document.url}
            document={document}
            takesFiles={takesFiles}
            onChange={replace}
            onRemove={() => onChange(documents.filter(({ url }) => url !== document.url))}
          />
        ))}
        {readings.map(({ id, name, cancel }) => (
          <li key={id} ref={showNewest} className={styles.draft} aria-busy>
            <Icon icon={FileText} size={18} />
            <span className={styles.about}>
              <bdi className={styles.name}>{name}</bdi>
              <Status as="span" className={styles.meta}>
                {t('documentReading')}
              </Status>
            </span>
            <RemoveAttached label={t('removeNamed', { name })} onRemove={cancel} />
          </li>
        ))}
      </ul>
      {areFilesTooLarge(documents, takesFiles) && (
        <p className={`${text.smallProblem} ${styles.problem}`} role="alert">
          {t('documentsTooLarge')}
        </p>
      )}
    </>
  )
}

/** If there are more than fit, scrolls to the one that was just added. */
function showNewest(item: HTMLLIElement | null): void {
  const list = item?.parentElement
  if (list) list.scrollTop = list.scrollHeight
}

const WAY_NAMES = { text: 'documentAsText', file: 'documentWhole' } as const
const WAY_HINTS = { text: 'documentAsTextHint', file: 'documentWholeHint' } as const

interface DraftItemProps {
  document: DraftDocument
  takesFiles: boolean
  onChange: (document: DraftDocument) => void
  onRemove: () => void
}

function DraftItem({ document, takesFiles, onChange, onRemove }: DraftItemProps) {
  const t = useTranslations('chat')
  const locale = useLocale()
  const { name, size, pageCount, isCut, isWhole, textTokenCount } = document
  const way = sentAs(document, takesFiles)
  const mayChoose = textTokenCount > 0 && canSendWhole(document, takesFiles)
  const facts = [
    ...(pageCount === null ? [] : [t('documentPages', { count: pageCount })]),
    formatBytes(size, locale),
    ...(isCut && way === 'text' ? [t('documentCut')] : []),
    ...(way === null || mayChoose ? [] : [t(WAY_NAMES[way])]),
  ]
  return (
    <li ref={showNewest} className={styles.draft}>
      <Icon icon={FileText} size={18} />
      <span className={styles.about}>
        <bdi className={styles.name} title={name}>
          {name}
        </bdi>
        <span className={styles.meta} title={way === null ? undefined : t(WAY_HINTS[way])}>
          {facts.join(' · ')}
        </span>
        {way === null && (
          <span className={text.smallProblem} role="alert">
            {t('documentNotTaken')}
          </span>
        )}
        {mayChoose && (
          <Checkbox
            className={styles.choice}
            title={t('documentWholeHint')}
            checked={isWhole}
            onChange={checked => onChange({ ...document, isWhole: checked })}
          >
            {t('documentSendWhole')}
          </Checkbox>
        )}
      </span>
      <RemoveAttached label={t('removeNamed', { name })} onRemove={onRemove} />
    </li>
  )
}
