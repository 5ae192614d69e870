import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog } from '@/components/ui/dialog'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'
import styles from './legacy-key.module.css'

/** Asked before a key is forgotten that may still be worth something. */
export function RemoveKeyDialog({ apiKey, onClose }: { apiKey: string; onClose: () => void }) {
  const t = useTranslations('legacyKey')
  const common = useTranslations('common')
  return (
    <Dialog open onClose={onClose} title={t('removeTitle')}>
      <p className={styles.text}>{t('removeText')}</p>
      <div className={styles.actions}>
        <Button variant="danger" onClick={() => virtualApiKeyStore.remove()}>
          {t('removeConfirm')}
        </Button>
        <CopyButton text={apiKey} label={t('copy')} />
        <Button variant="quiet" onClick={onClose}>
          {common('cancel')}
        </Button>
      </div>
    </Dialog>
  )
}
