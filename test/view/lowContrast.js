// Texts whose colour differs too little from what is behind them: below 4.5 to 1 (WCAG 2.2, 1.4.3). Runs in the page.
(() => {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    if (channels(color)[3] !== 0) return color;
    return element.parentElement ? behind(element.parentElement) : 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('#live *')].flatMap((element) => {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!own) return [];
    const style = getComputedStyle(element);
    const [a, b] = [luminance(element instanceof SVGElement ? style.fill : style.color), luminance(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return ratio < 4.5 ? [`${element.textContent.trim()}: ${ratio.toFixed(2)}`] : [];
  });
})();
