'use client'

import type { Route } from 'next'
import Form from 'next/form'
import type { ChangeEvent, ReactNode } from 'react'

interface QueryFormProps {
  /** The page's own address. */
  action: string
  className?: string
  role?: 'search'
  children: ReactNode
}

/**
 * A form that is sent to its own page. With scripts, only what changed is rendered again, the page keeps its scroll
 * position, and a selection takes effect at once. Without scripts, the browser submits it as usual.
 */
export function QueryForm({ action, className, role, children }: QueryFormProps) {
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
      {children}
    </Form>
  )
}
