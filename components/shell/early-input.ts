/** Dispatched on the window once the page answers to input. */
export const ALIVE_EVENT = 'pagealive'

/**
 * Keeps what is pressed, typed and chosen before the page's own scripts run, and does it again, in that order, once the
 * page is alive. A form without an action is not sent until then.
 *
 * Runs inline, as its own source text, and therefore uses nothing from outside of it.
 */
export function keepEarlyInput(aliveEvent: string): void {
  type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
  type Step = { button: HTMLButtonElement } | { field: Field; value: string; checked: boolean }
  const steps: Step[] = []

  const onClick = (event: Event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    const isNative = button?.type === 'submit' && button.form?.hasAttribute('action')
    if (!button || isNative) return
    steps.push({ button })
    // React would take what is pressed while it hydrates, and then it would be done twice.
    event.stopImmediatePropagation()
  }
  const onInput = ({ target }: Event) => {
    // Nothing else on our pages emits it.
    const field = target as Field
    const last = steps.at(-1)
    if (last && 'field' in last && last.field === field) steps.pop()
    steps.push({ field, value: field.value, checked: field instanceof HTMLInputElement && field.checked })
  }
  const onSubmit = (event: Event) => {
    if (!(event.target instanceof Element) || event.target.hasAttribute('action')) return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  const enter = (field: Field, value: string, checked: boolean) => {
    if (field instanceof HTMLSelectElement || field.type === 'file') {
      if (field.type !== 'file') field.value = value
      field.dispatchEvent(new Event('change', { bubbles: true }))
    } else if (field instanceof HTMLInputElement && (field.type === 'checkbox' || field.type === 'radio')) {
      field.checked = !checked
      field.click()
    } else {
      // React ignores an event if the field has the value that was last set through the field's own property.
      field.value = `${value} `
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, value)
      field.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }
  const doAgain = async () => {
    removeEventListener('click', onClick, true)
    removeEventListener('input', onInput, true)
    removeEventListener('submit', onSubmit, true)
    let isRendered = true
    for (const step of steps.splice(0)) {
      if ('button' in step) isRendered = false
      // What was pressed is rendered before anything else is done. What was typed first is entered at once, because
      // rendering it again would empty the field.
      if (!isRendered) await new Promise(resolve => setTimeout(resolve))
      if ('field' in step) enter(step.field, step.value, step.checked)
      else if (step.button.isConnected) step.button.click()
    }
  }
  addEventListener('click', onClick, true)
  addEventListener('input', onInput, true)
  addEventListener('submit', onSubmit, true)
  addEventListener(aliveEvent, doAgain, { once: true })
}
