// The default theme with the contrast and the phone widths of style.css.
import DefaultTheme from 'vitepress/theme';
import './style.css';

export default DefaultTheme;
