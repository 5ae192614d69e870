import { ChevronDown, Columns2 } from 'lucide'
import { useTranslations } from 'next-intl'
import { useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Icon } from '@/components/ui/icon'
import { lazyPart } from '@/components/ui/lazy-part'
import text from '@/components/ui/text.module.css'
import type { CuratedIds } from '@/lib/catalogue/domain/curated-roles'
import { LazyCompareOptions } from './compare/compared-models'
import styles from './model-picker.module.css'
import { ModelPrice } from './model-price'
import type { ModelChoice } from './use-chosen-model'
import type { ModelsState } from './use-models'
import type { NextMessage } from './use-next-message'

const importModelOptions = () => import('./models/model-options')

/** Errors are ignored here, since the list itself reports them when it is opened. */
const warm = () => void importModelOptions().catch(() => undefined)

/** Loaded when the person is about to open it, since most visits never do. */
const ModelOptions = lazyPart(async () => (await importModelOptions()).ModelOptions, 'with-error')

interface ModelPickerProps {
  choice: ModelChoice
  next: NextMessage
  /** A message exists or is being written, so the prices shown are those of the next message, as beside Send. */
  isBegun: boolean
  modelList: ModelsState
  /** The models that the operator recommends. */
  curatedIds: CuratedIds | null
}

/** Which model answers, and at what price. */
export function ModelPicker({ choice, next, isBegun, modelList, curatedIds }: ModelPickerProps) {
  const { model, compared } = choice
  const { priceOf, shortOf } = next
  const t = useTranslations('chat')
  const common = useTranslations('common')
  const compare = useTranslations('compare')
  const [isOpen, setOpen] = useState(false)
  const [choosesSeveral, setChoosesSeveral] = useState(false)
  const dialogId = useId()
  const loading = <p className={text.muted}>{common('loading')}</p>
  const finish = (modelIds: readonly string[]) => {
    choice.compare(modelIds)
    setOpen(false)
  }
  return (
    <>
      <button
        type="button"
        // A control with a value rather than an action: its name stays "Model" whichever model is chosen.
        role="combobox"
        aria-controls={dialogId}
        className={styles.button}
        aria-label={t('model')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={warm}
        onFocus={warm}
        onClick={() => {
          setChoosesSeveral(compared.length > 0)
          setOpen(true)
        }}
      >
        <span className={styles.value}>
          <span className={styles.chosen}>
            {/* Another element once the name is known: on two lines it begins higher, which moves nothing else. */}
            <span key={model ? 1 : 0} className={styles.chosenName}>
              {compared.length > 0
                ? compare('chosen', { count: compared.length })
                : (model?.name ?? (modelList.failed ? t('modelsAway') : common('loading')))}
            </span>
            {/* Not before the name is loaded, since a name of another length would move it. */}
            {(model || modelList.failed) && <Icon icon={ChevronDown} size={16} />}
          </span>
          {model && (
            <ModelPrice
              model={model}
              estimate={isBegun ? next.estimate : null}
              compared={compared}
              className={styles.chosenPrice}
            />
          )}
        </span>
      </button>
      <Dialog
        id={dialogId}
        open={isOpen}
        onClose={() => setOpen(false)}
        title={choosesSeveral ? compare('title') : t('chooseModel')}
        look="sheet"
      >
        {choosesSeveral ? (
          <LazyCompareOptions
            fallback={loading}
            modelList={modelList}
            chosenIds={compared.length > 0 ? compared.map(({ id }) => id) : model ? [model.id] : []}
            priceOf={priceOf}
            onDone={finish}
            onOne={() => (compared.length > 0 ? finish([]) : setChoosesSeveral(false))}
          />
        ) : (
          <ModelOptions
            fallback={loading}
            modelList={modelList}
            chosenId={model?.id ?? null}
            curatedIds={curatedIds ?? {}}
            priceOf={isBegun ? priceOf : undefined}
            pricesLegend={isBegun ? t('picker.pricesNext') : undefined}
            shortOf={shortOf}
            onChoose={id => {
              choice.choose(id)
              setOpen(false)
            }}
          >
            {modelList.models.length > 1 && (
              <Button variant="quiet" onClick={() => setChoosesSeveral(true)}>
                <Icon icon={Columns2} size={16} />
                {compare('several')}
              </Button>
            )}
          </ModelOptions>
        )}
      </Dialog>
    </>
  )
}
