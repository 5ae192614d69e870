import { useTranslations } from 'next-intl'
import { Field } from '@/components/ui/field'
import { SelectField } from '@/components/ui/select-field'
import { TextInput } from '@/components/ui/text-input'
import { useTyped } from '@/components/ui/use-typed'
import type { ModelControls } from '@/lib/exchange/client/outgoing'
import {
  type AnswerParameters,
  MAX_TOKENS_HIGHEST,
  MAX_TOKENS_LOWEST,
  PARAMETER_CHECKS,
  TEMPERATURE_MAX,
} from '@/lib/local/domain/steering'
import styles from './prompts.module.css'

interface ParameterFieldsProps {
  /** The parameters that the model has; only these are shown. */
  controls: ModelControls
  value: AnswerParameters
  onChange: (change: AnswerParameters) => void
}

export function ParameterFields({ controls, value, onChange }: ParameterFieldsProps) {
  const t = useTranslations('prompts')
  const { temperature, outputTokensMax, efforts } = controls
  const highest = Math.min(outputTokensMax ?? MAX_TOKENS_HIGHEST, MAX_TOKENS_HIGHEST)
  const effort = value.reasoning_effort ?? ''
  return (
    <div className={styles.parameters}>
      {temperature && (
        <NumberField
          label={t('temperature')}
          hint={t('temperatureHint')}
          error={t('temperatureError')}
          min={0}
          max={TEMPERATURE_MAX}
          step={0.1}
          value={value.temperature}
          isValid={PARAMETER_CHECKS.temperature}
          onChange={next => onChange({ temperature: next })}
        />
      )}
      <NumberField
        label={t('maxTokens')}
        hint={t('maxTokensHint')}
        error={t('maxTokensError', { lowest: MAX_TOKENS_LOWEST, highest })}
        min={MAX_TOKENS_LOWEST}
        max={highest}
        step={1}
        value={value.max_tokens}
        isValid={tokens => PARAMETER_CHECKS.max_tokens(tokens) && tokens <= highest}
        onChange={next => onChange({ max_tokens: next })}
      />
      {efforts.length > 0 && (
        <SelectField
          label={t('effort')}
          hint={t('effortHint')}
          choices={['', ...efforts]}
          nameOf={one => (isNamed(one) ? t(`efforts.${one}`) : one || t('effortOwn'))}
          value={efforts.includes(effort) ? effort : ''}
          onChange={chosen => onChange({ reasoning_effort: chosen || undefined })}
        />
      )}
    </div>
  )
}

interface NumberFieldProps {
  label: string
  hint: string
  error: string
  value: number | undefined
  isValid: (value: number) => boolean
  min: number
  max: number
  step: number
  onChange: (value: number | undefined) => void
}

/** A field for an optional number. An invalid entry shows the error and is not stored. */
function NumberField({ label, hint, error, value, isValid, onChange, ...bounds }: NumberFieldProps) {
  const { isRefused, shown } = useTyped({
    stored: value ?? null,
    textOf: number => number ?? '',
    read: text => (text === '' ? null : isValid(Number(text)) ? Number(text) : undefined),
    store: number => onChange(number ?? undefined),
  })
  return (
    <Field label={label} hint={hint} error={isRefused && error}>
      {control => (
        <TextInput {...control} {...bounds} type="number" inputMode="decimal" autoComplete="off" {...shown} />
      )}
    </Field>
  )
}

const NAMED_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

function isNamed(effort: string): effort is (typeof NAMED_EFFORTS)[number] {
  return NAMED_EFFORTS.some(one => one === effort)
}
