import { ChevronDown, Columns2 } from 'lucide'
import { useTranslations } from 'next-intl'
import { useId, useState } from 'react'
import { arriving } from '@/components/ui/arriving'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Icon } from '@/components/ui/icon'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from './chat-model'
import { ModelOptions } from './model-options'
import styles from './model-picker.module.css'
import { ModelPrice } from './model-price'
import type { ModelsState } from './use-models'

/** Arrives when somebody wants to compare. */
const CompareOptions = arriving(
  async () => (await import('./compare/compare-options')).CompareOptions,
  'told',
)

interface ModelPickerProps {
  model: ChatModel | null
  /** Those that are to answer side by side; none where one is asked. */
  compared: readonly ChatModel[]
  /** As it stands beside Send; null while nothing stands there. */
  estimate: Nano | null
  modelList: ModelsState
  /** Null while no model is known. */
  priceOf: ((model: ChatModel) => Nano | null) | null
  onModel: (modelId: string) => void
  /** With no model, one is asked again. */
  onCompare: (modelIds: readonly string[]) => void
}

/** Which model answers, and at what price. */
export function ModelPicker(props: ModelPickerProps) {
  const { model, compared, estimate, modelList, priceOf, onModel, onCompare } = props
  const t = useTranslations('chat')
  const compare = useTranslations('compare')
  const [isOpen, setOpen] = useState(false)
  const [choosesSeveral, setChoosesSeveral] = useState(false)
  const dialogId = useId()
  const finish = (modelIds: readonly string[]) => {
    onCompare(modelIds)
    setOpen(false)
  }
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
        onClick={() => {
          setChoosesSeveral(compared.length > 0)
          setOpen(true)
        }}
      >
        <span className={styles.value}>
          <span className={styles.chosen}>
            <span className={styles.chosenName}>
              {compared.length > 0
                ? compare('chosen', { count: compared.length })
                : (model?.name ?? (modelList.failed ? t('modelsFailed') : t('modelsLoading')))}
            </span>
            {/* Not before it has its place: a name of another length would move it. */}
            {(model || modelList.failed) && <Icon icon={ChevronDown} size={16} />}
          </span>
          {model && <ModelPrice model={model} estimate={estimate} className={styles.chosenPrice} />}
        </span>
      </button>
      <Dialog
        id={dialogId}
        open={isOpen}
        onClose={() => setOpen(false)}
        title={choosesSeveral ? compare('title') : t('chooseModel')}
        look="wide"
      >
        {choosesSeveral && priceOf ? (
          <CompareOptions
            modelList={modelList}
            chosenIds={compared.length > 0 ? compared.map(({ id }) => id) : model ? [model.id] : []}
            priceOf={priceOf}
            onDone={finish}
            onOne={() => (compared.length > 0 ? finish([]) : setChoosesSeveral(false))}
          />
        ) : (
          <>
            <ModelOptions
              modelList={modelList}
              chosenId={model?.id ?? null}
              onChoose={id => {
                onModel(id)
                setOpen(false)
              }}
            />
            {modelList.models.length > 1 && (
              <Button variant="quiet" className={styles.several} onClick={() => setChoosesSeveral(true)}>
                <Icon icon={Columns2} size={16} />
                {compare('several')}
              </Button>
            )}
          </>
        )}
      </Dialog>
    </>
  )
}
