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
 * A form that asks its own page. With scripts only what has changed is drawn anew, and the page stays where it
 * is; a choice takes effect at once. Without, the browser sends it as ever.
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
