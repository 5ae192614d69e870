import { useLocale, useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Field } from '@/components/ui/field'
import layout from '@/components/ui/layout.module.css'
import { Select } from '@/components/ui/select'
import text from '@/components/ui/text.module.css'
import { TextArea, TextInput } from '@/components/ui/text-input'
import { fillIn, type Variable, variablesOf } from '@/lib/local/prompts/variables'

interface VariablesFormProps {
  content: string
  onBack: () => void
  onFilled: (text: string) => void
}

/** The limit of a single value; there is none for all of them together. */
const VALUE_LENGTH_MAX = 20_000

/** Asks for the values of a prompt's variables before it is used. */
export function VariablesForm({ content, onBack, onFilled }: VariablesFormProps) {
  const t = useTranslations('prompts')
  const locale = useLocale()
  const variables = useMemo(() => variablesOf(content), [content])
  const [values, setValues] = useState<ReadonlyMap<string, string>>(
    () => new Map(variables.map(variable => [variable.name, firstValue(variable, locale, new Date())])),
  )
  const [isTried, setTried] = useState(false)
  const isMissing = ({ name, isRequired }: Variable) => isRequired && values.get(name)?.trim() === ''
  return (
    <form
      noValidate
      className={layout.stack}
      onSubmit={event => {
        event.preventDefault()
        setTried(true)
        if (!variables.some(isMissing)) onFilled(fillIn(content, values))
      }}
    >
      {variables.map(variable => (
        <VariableField
          key={variable.name}
          variable={variable}
          value={values.get(variable.name) ?? ''}
          error={isTried && isMissing(variable) && t('fillError')}
          onChange={value => setValues(new Map(values).set(variable.name, value))}
        />
      ))}
      <p className={text.hint}>{t('fillHint')}</p>
      <div className={layout.row}>
        <Button type="submit">{t('use')}</Button>
        <Button variant="quiet" onClick={onBack}>
          {t('back')}
        </Button>
      </div>
    </form>
  )
}

interface VariableFieldProps {
  variable: Variable
  value: string
  error: string | false
  onChange: (value: string) => void
}

function VariableField({ variable, value, error, onChange }: VariableFieldProps) {
  const t = useTranslations('prompts')
  const { name, type, placeholder, options, bounds, isRequired } = variable
  const label = name.replaceAll('_', ' ')
  if (type === 'checkbox') {
    return (
      <Checkbox checked={value === 'true'} onChange={checked => onChange(String(checked))}>
        {label}
      </Checkbox>
    )
  }
  const common = { required: isRequired, value, maxLength: VALUE_LENGTH_MAX }
  return (
    <Field label={label} error={error}>
      {control => {
        if (type === 'select' && options.length > 0) {
          return (
            <Select
              {...control}
              required={isRequired}
              value={options.includes(value) ? value : ''}
              onChange={event => onChange(event.currentTarget.value)}
            >
              <option value="">{t('choose')}</option>
              {options.map(option => (
                <option key={option} value={option}>
                  {option}
                </option>
              ))}
            </Select>
          )
        }
        if (type === 'textarea') {
          return (
            <TextArea
              {...control}
              {...common}
              dir="auto"
              rows={4}
              placeholder={placeholder}
              onChange={event => onChange(event.currentTarget.value)}
            />
          )
        }
        return (
          <TextInput
            {...control}
            {...common}
            {...bounds}
            dir="auto"
            type={type === 'select' ? 'text' : type}
            autoComplete="off"
            placeholder={placeholder}
            onChange={event => onChange(event.currentTarget.value)}
          />
        )
      }}
    </Field>
  )
}

/** The default, or the value that Open WebUI fills in automatically. The person can change it. */
function firstValue({ name, type, defaultText }: Variable, locale: string, now: Date): string {
  if (type === 'checkbox') return String(defaultText === 'true')
  if (defaultText !== '') return defaultText
  switch (name) {
    case 'CURRENT_DATE':
      return now.toLocaleDateString(locale)
    case 'CURRENT_TIME':
      return now.toLocaleTimeString(locale)
    case 'CURRENT_DATETIME':
      return now.toLocaleString(locale)
    case 'CURRENT_WEEKDAY':
      return now.toLocaleDateString(locale, { weekday: 'long' })
    case 'CURRENT_TIMEZONE':
      return Intl.DateTimeFormat().resolvedOptions().timeZone
    case 'USER_LANGUAGE':
      return locale
    default:
      return ''
  }
}
