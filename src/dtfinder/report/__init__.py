"""What people see of a result: text, pictures, pages and exports."""
