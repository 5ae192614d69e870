'use client'

import type { Route } from 'next'
import Form from 'next/form'
import type { ChangeEvent, ReactNode } from 'react'

interface QueryFormProps {
  /** The page's own address. */
  action: string
  className?: string
  role?: 'search'
  /** Parameters of the page that the form does not change. */
  kept: Readonly<Record<string, string>>
  children: ReactNode
}

/**
 * A form that is sent to its own page. With scripts, only what changed is rendered again, the page keeps its scroll
 * position, and a selection takes effect at once. Without scripts, the browser submits it as usual.
 */
export function QueryForm({ action, className, role, kept, children }: QueryFormProps) {
  const onChange = (event: ChangeEvent<HTMLFormElement>) => {
    const changed: EventTarget = event.target
    if (changed instanceof HTMLSelectElement) event.currentTarget.requestSubmit()
  }
  return (
    <Form
      action={action as Route}
      replace
      scroll={false}
      prefetch={false}
      className={className}
      role={role}
      onChange={onChange}
    >
      {Object.entries(kept).map(
        ([name, value]) => value !== '' && <input key={name} type="hidden" name={name} value={value} />,
      )}
      {children}
    </Form>
  )
}
