import { createElement, memo, type ReactNode, useEffect, useRef, useState } from 'react'
import styles from './formula.module.css'
import type { FormulaElement } from './formula-tree'
import type { MathToken } from './math-syntax'
import { useIsWide } from './use-is-wide'

interface FormulaProps {
  math: MathToken
}

/** A formula, typeset once the converter has loaded. Until then, and if it cannot be read, its TeX is shown. */
export const Formula = memo(
  function Formula({ math }: FormulaProps) {
    const root = useFormula(math)
    const shown = root ? toElement(root) : <code className={styles.source}>{sourceOf(math)}</code>
    if (!math.isDisplay) return <span className={styles.formula}>{shown}</span>
    return <DisplayFormula>{shown}</DisplayFormula>
  },
  (before, after) => before.math.raw === after.math.raw && before.math.isOpen === after.math.isOpen,
)

/** On a line of its own. */
function DisplayFormula({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLSpanElement>(null)
  const isWide = useIsWide(ref)
  return (
    <span ref={ref} className={`${styles.formula} ${styles.display}`} tabIndex={isWide ? 0 : undefined}>
      {children}
    </span>
  )
}

/** A formula on its own line needs no delimiters. */
const sourceOf = ({ isDisplay, text, raw }: MathToken): string => (isDisplay ? text : raw)

/** The converter is loaded with the first formula. */
function useFormula({ text, isDisplay, isOpen }: MathToken): FormulaElement | null {
  const [result, setResult] = useState<{ text: string; root: FormulaElement | null } | null>(null)
  useEffect(() => {
    if (isOpen) return
    let current = true
    void import('./formula-tree').then(
      ({ readFormula }) => {
        if (current) setResult({ text, root: readFormula(text, isDisplay) })
      },
      // The TeX stays if it cannot be loaded.
      () => undefined,
    )
    return () => {
      current = false
    }
  }, [text, isDisplay, isOpen])
  return result?.text === text ? result.root : null
}

function toElement(element: FormulaElement): ReactNode {
  const { tag, attributes, style, className } = element
  const children = element.children.map(child => (typeof child === 'string' ? child : toElement(child)))
  return createElement(tag, { ...attributes, style, className }, ...children)
}
