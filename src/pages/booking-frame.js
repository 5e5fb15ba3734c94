// Reports the height of a booking page in a frame, and its bookings, to the page around it.

const tell = () => {
  const height = Math.ceil(document.querySelector('main').getBoundingClientRect().height)
  parent.postMessage({ type: 'holdfast:height', height }, '*') // contains no secret
}

if (parent !== window) {
  document.documentElement.classList.add('framed')
  document.addEventListener('holdfast:booked', ({ type, detail }) =>
    parent.postMessage({ type, ...detail }, '*'),
  )
  new ResizeObserver(tell).observe(document.querySelector('main'))
}
