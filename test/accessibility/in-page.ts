/* The checks that run inside a page. They also enter open shadow roots, but not frames. */

/** Source of a script that adds `accessibility` to a page once. */
export const inPage = `globalThis.accessibility ??= (() => {
  const roots = (root = document) => [root, ...[...root.querySelectorAll('*')].flatMap((one) => (one.shadowRoot ? roots(one.shadowRoot) : []))]
  const all = (selector) => roots().flatMap((root) => [...root.querySelectorAll(selector)])
  const isShown = (one) => {
    const box = one.getBoundingClientRect()
    return box.width > 0 && box.height > 0 && one.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && !one.closest('[inert]')
  }
  const name = (one) => {
    const classes = typeof one.className === 'string' && one.className !== '' ? '.' + one.className.trim().split(/\\s+/).join('.') : ''
    const text = (one.getAttribute('aria-label') ?? one.textContent ?? '').replace(/\\s+/g, ' ').trim().slice(0, 40)
    return one.localName + (one.id ? '#' + one.id : '') + classes + (text ? ' "' + text + '"' : '')
  }
  const parents = (one) => {
    const list = []
    for (let next = one; next; next = next.parentElement ?? next.getRootNode().host) list.push(next)
    return list
  }
  const isHiddenText = (one) => parents(one).some((next) => {
    const style = getComputedStyle(next)
    return style.clipPath === 'inset(50%)' || style.clip === 'rect(0px, 0px, 0px, 0px)' || (next.clientWidth <= 1 && next.clientHeight <= 1)
  })
  const control = 'a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, [tabindex]'
  const isStop = (one) => one.tabIndex >= 0 && !one.disabled && isShown(one)

  /** One radio button stands for its group. */
  const listControls = () => {
    const groups = new Map()
    const list = []
    const visit = (root) => {
      for (const one of root.children) {
        const entries = one.localName === 'slot' ? one.assignedElements() : []
        if (one.matches(control) && isStop(one)) {
          const group = one.type === 'radio' && one.name !== '' ? (one.form?.id ?? '') + (one.form?.action ?? '') + '/' + one.name : undefined
          const known = group === undefined ? undefined : groups.get(group)
          if (known === undefined) {
            list.push([one])
            if (group !== undefined) groups.set(group, list.length - 1)
          } else list[known].push(one)
        }
        if (one.shadowRoot) visit(one.shadowRoot)
        for (const entry of entries) visit(entry)
        visit(one)
      }
    }
    visit(document.body)
    return list
  }
  const look = (one) => {
    const near = [one, one.parentElement, one.parentElement?.parentElement, one.nextElementSibling, one.labels?.[0], ...one.children].filter(Boolean)
    return JSON.stringify(near.flatMap((next) => ['', '::before', '::after'].map((part) => {
      const s = getComputedStyle(next, part || null)
      const outline = s.outlineStyle === 'none' || s.outlineWidth === '0px' ? '' : s.outlineStyle + s.outlineWidth + s.outlineColor
      return [outline, s.boxShadow, s.borderColor, s.borderWidth, s.borderStyle, s.backgroundColor, s.color, s.textDecorationLine, s.fontWeight, s.opacity, s.content]
    })))
  }
  let known = []
  let looks = []
  const deepActive = () => {
    let one = document.activeElement
    while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
    return one
  }
  const isCovered = (one) => {
    const box = one.getBoundingClientRect()
    const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [box.left + box.width * x, box.top + box.height * y]))
    const family = new Set([...parents(one), ...(one.labels ?? [])])
    return !points.some(([x, y]) => {
      let top = document.elementFromPoint(x, y)
      while (top?.shadowRoot?.elementFromPoint(x, y) && top.shadowRoot.elementFromPoint(x, y) !== top) top = top.shadowRoot.elementFromPoint(x, y)
      return top && (top === one || one.contains(top) || parents(top).some((next) => next === one || (one.labels && [...one.labels].includes(next))) || (family.has(top) && top !== document.body && top !== document.documentElement))
    })
  }
  const isFilled = (one) => {
    const style = getComputedStyle(one)
    if (style.backgroundColor === 'rgba(0, 0, 0, 0)') return false
    const behind = parents(one).slice(1).map((next) => getComputedStyle(next).backgroundColor).find((color) => color !== 'rgba(0, 0, 0, 0)')
    return style.backgroundColor !== behind
  }
  const hasEdge = (one) => {
    const style = getComputedStyle(one)
    const border = ['Top', 'Right', 'Bottom', 'Left'].some((side) => style['border' + side + 'Style'] !== 'none' && parseFloat(style['border' + side + 'Width']) > 0 && style['border' + side + 'Color'] !== 'rgba(0, 0, 0, 0)')
    return border || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.textDecorationLine.includes('underline') || style.forcedColorAdjust === 'none' || style.appearance !== 'none'
  }
  const state = (one) => JSON.stringify([one, ...one.children].flatMap((next) => ['', '::before', '::after'].map((part) => {
    const s = getComputedStyle(next, part || null)
    return [s.borderWidth, s.borderStyle, s.borderColor, s.outlineStyle, s.outlineWidth, s.backgroundColor, s.color, s.fontWeight, s.textDecorationLine, s.content, s.display, s.visibility]
  })))
  const spaced = new CSSStyleSheet()
  spaced.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-bottom: 2em !important }')
  const cut = () => all('*').filter((one) => {
    if (['script', 'style', 'option', 'html', 'body', 'textarea'].includes(one.localName) || one.closest('svg') || !isShown(one)) return false
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '') && !['button', 'a'].includes(one.localName)) return false
    const style = getComputedStyle(one)
    if (style.display === 'inline' || isHiddenText(one)) return false
    const hidden = /hidden|clip/.test(style.overflowX + style.overflowY)
    if (hidden && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 2)) return true
    if (one.matches('button, a') && one.scrollWidth > one.clientWidth + 1) return true
    // text below the edge of an ancestor that hides it
    const box = one.getBoundingClientRect()
    return parents(one).slice(1).some((next) => {
      const outer = getComputedStyle(next)
      if (!/^(hidden|clip)$/.test(outer.overflowY) || next === document.body || next === document.documentElement) return false
      const edge = next.getBoundingClientRect()
      return edge.height > 0 && box.bottom > edge.bottom + 3 && box.top < edge.bottom
    })
  })
  return {
    controls: () => {
      document.activeElement?.blur?.()
      getSelection()?.removeAllRanges()
      scrollTo(0, 0)
      known = listControls()
      looks = known.map((group) => group.map(look))
      // the walk begins at the beginning of the page
      const start = document.createElement('span')
      start.tabIndex = -1
      document.body.prepend(start)
      start.focus()
      start.remove()
      return known.map(([one]) => name(one))
    },
    stop: () => {
      const one = deepActive()
      if (!one || one === document.body || one === document.documentElement) return { index: -2, name: '', looksDifferent: true, isCovered: false }
      const index = known.findIndex((group) => group.includes(one))
      const before = index < 0 ? undefined : looks[index][known[index].indexOf(one)]
      return { index, name: name(one), looksDifferent: one.localName === 'iframe' || before !== look(one), isCovered: index >= 0 && isCovered(one) }
    },
    missed: (seen) => known.flatMap((group, index) => (seen.includes(index) || !group.some((one) => one.isConnected && isStop(one)) ? [] : [name(group[0])])),
    sideways: () => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth > clientWidth ? ['the page is ' + scrollWidth + ' pixels wide'] : []
    },
    motion: () => [
      ...roots().flatMap((root) => root.getAnimations?.() ?? []).filter((one) => {
        const { duration, iterations } = one.effect?.getComputedTiming() ?? {}
        return one.playState === 'running' && (duration > 100 || iterations === Infinity)
      }).map((one) => name(one.effect.target) + ' is animated'),
      ...all('*').filter((one) => {
        const style = getComputedStyle(one)
        const moves = style.transitionDuration.split(',').some((time) => parseFloat(time) > 0.1)
        return moves && isShown(one)
      }).map((one) => name(one) + ' has a transition'),
    ],
    filled: () => all('button, a, summary, input, select, textarea').map((one, index) => (isShown(one) && isFilled(one) ? String(index) : '')).filter(Boolean),
    lost: (filled) => {
      const list = all('button, a, summary, input, select, textarea')
      const edgeless = filled.map(Number).flatMap((index) => (list[index] && isShown(list[index]) && !hasEdge(list[index]) ? [name(list[index]) + ' has no edge'] : []))
      const chosen = all('[aria-pressed=true], [aria-selected=true], [aria-current]:not([aria-current=false])').filter(isShown)
      const alike = chosen.flatMap((one) => {
        const attribute = ['aria-pressed', 'aria-selected', 'aria-current'].find((key) => one.hasAttribute(key))
        const others = all(one.localName).filter((other) => other !== one && isShown(other) && other.className === one.className && !(other.getAttribute(attribute) ?? 'false').match(/^(true|page|date|step)$/) && other.parentElement?.localName === one.parentElement?.localName && parents(other)[2]?.localName === parents(one)[2]?.localName)
        return others.length > 0 && others.every((other) => state(other) === state(one)) ? [name(one) + ' looks like the others'] : []
      })
      return [...edgeless, ...alike]
    },
    spacing: async () => {
      const before = new Set(cut())
      const targets = roots()
      for (const root of targets) root.adoptedStyleSheets = [...root.adoptedStyleSheets, spaced]
      // scripts may react: a cut description gets a button that shows all of it
      for (let frames = 0; frames < 3; frames += 1) await new Promise((resolve) => requestAnimationFrame(resolve))
      const hasMore = (one) => one.nextElementSibling?.matches('button[aria-expanded]')
      const after = cut().filter((one) => !before.has(one) && !hasMore(one))
      const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page scrolls sideways'] : []
      for (const root of targets) root.adoptedStyleSheets = root.adoptedStyleSheets.filter((sheet) => sheet !== spaced)
      return [...after.map((one) => name(one) + ' is cut'), ...wide]
    },
  }
})()`
