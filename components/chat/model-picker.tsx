import { ChevronDown } from 'lucide'
import { useTranslations } from 'next-intl'
import { useId, useState } from 'react'
import { Dialog } from '@/components/ui/dialog'
import { Icon } from '@/components/ui/icon'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from './chat-model'
import { ModelOptions } from './model-options'
import styles from './model-picker.module.css'
import { ModelPrice } from './model-price'
import type { ModelsState } from './use-models'

interface ModelPickerProps {
  model: ChatModel | null
  /** As it stands beside Send; null while nothing stands there. */
  estimate: Nano | null
  modelList: ModelsState
  onModel: (modelId: string) => void
}

/** Which model answers, and at what price. */
export function ModelPicker({ model, estimate, modelList, onModel }: ModelPickerProps) {
  const t = useTranslations('chat')
  const [isOpen, setOpen] = useState(false)
  const dialogId = useId()
  return (
    <>
      <button
        type="button"
        // A choice with a value, not a deed: its name stays "Model" whichever one is chosen.
        role="combobox"
        aria-controls={dialogId}
        className={styles.button}
        aria-label={t('model')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <span className={styles.value}>
          <span className={styles.chosen}>
            <span className={styles.chosenName}>
              {model?.name ?? (modelList.failed ? t('modelsFailed') : t('modelsLoading'))}
            </span>
            {/* Not before it has its place: a name of another length would move it. */}
            {(model || modelList.failed) && <Icon icon={ChevronDown} size={16} />}
          </span>
          {model && <ModelPrice model={model} estimate={estimate} className={styles.chosenPrice} />}
        </span>
      </button>
      <Dialog id={dialogId} open={isOpen} onClose={() => setOpen(false)} title={t('chooseModel')} look="wide">
        <ModelOptions
          modelList={modelList}
          chosenId={model?.id ?? null}
          onChoose={id => {
            onModel(id)
            setOpen(false)
          }}
        />
      </Dialog>
    </>
  )
}
